"""What a host received when it was enrolled."""

import os
from pathlib import Path
from typing import Self
from uuid import UUID

from ngxlab_contracts.broker import broker_password, host_user, with_user
from pydantic import BaseModel, ConfigDict, ValidationError


class NotEnrolledError(Exception):
    """This host has no usable credential; the message says how to get one."""


class Credential(BaseModel):
    model_config = ConfigDict(frozen=True)

    host_id: UUID
    credential: str
    backend_url: str
    broker_url: str
    """Where Redis is. A user in it, as older files have it, is not used."""

    @property
    def broker_login(self) -> str:
        return with_user(self.broker_url, host_user(self.host_id), broker_password(self.credential))

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Raises ``NotEnrolledError``."""
        path = folder / "credential.json"
        try:
            return cls.model_validate_json(path.read_bytes())
        except FileNotFoundError:
            raise NotEnrolledError(
                f"{path} does not exist: run the line that the server's page Hosts shows, or `ngxlab host join URL`"
            ) from None
        except ValidationError as error:
            raise NotEnrolledError(f"{path} is damaged: run `ngxlab host join` again ({error})") from error

    def save(self, folder: Path) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        path, temporary = folder / "credential.json", folder / "credential.part"
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(self.model_dump_json(indent=2))
        temporary.rename(path)
        return path
