"""Send an e-mail through the operator's mail server."""

import asyncio
from collections.abc import Mapping
from datetime import datetime
from email.message import EmailMessage
from email.utils import format_datetime, formataddr
from typing import Any

import aiosmtplib

from ngxlab.core.config import Settings

_TIMEOUT_S = 8.0
OFF = "This installation sends no e-mail: its operator has set no mail server (NGXLAB_SMTP_HOST)."


async def send(settings: Settings, to: str, message_id: str, at: datetime, content: Mapping[str, Any]) -> str | None:
    """What went wrong; None where the mail server has taken it."""
    if settings.smtp_host is None or settings.mail_from is None:
        return OFF
    message = _message(settings.mail_from, to, message_id, at, content["data"])
    try:
        async with asyncio.timeout(_TIMEOUT_S):
            await aiosmtplib.send(
                message,
                hostname=settings.smtp_host,
                port=settings.smtp_port,
                username=settings.smtp_user,
                password=settings.mail_password() if settings.smtp_user else None,
                use_tls=settings.smtp_security == "tls",
                start_tls=settings.smtp_security == "starttls",
                timeout=_TIMEOUT_S,
            )
    except TimeoutError:
        return f"The mail server did not answer within {_TIMEOUT_S:g} s."
    except aiosmtplib.SMTPResponseException as error:
        return f"The mail server refused it: {error.code}."
    except (aiosmtplib.SMTPException, OSError, ValueError) as error:
        return f"The mail server could not be used: {type(error).__name__}."
    return None


def _message(sender: str, to: str, message_id: str, at: datetime, data: Mapping[str, Any]) -> EmailMessage:
    message = EmailMessage()
    message["Subject"] = " ".join(str(data["title"]).split())
    message["From"] = formataddr(("ngxlab", sender))
    message["To"] = to
    message["Date"] = format_datetime(at)
    message["Message-ID"] = f"<{message_id}@{sender.rpartition('@')[2]}>"
    message["Auto-Submitted"] = "auto-generated"
    text = f"{data['text']}\n\n" if data["text"] else ""
    message.set_content(f"{data['title']}\n\n{text}{data['url']}\n")
    return message
