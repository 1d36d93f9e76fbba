import { plural, t } from '@lingui/core/macro';
import { Button, Group } from '@mantine/core';
import { IconFileUpload } from '@tabler/icons-react';
import { type ClipboardEvent, useState } from 'react';
import { useStore, useValue } from '../../designerContext';
import { Field, Fields, Row } from '../../fields/Field';
import { SwitchField } from '../../fields/inputs';
import { List } from '../../fields/List';
import { More, Note } from '../../fields/Section';
import {
  blankRequest,
  type DraftRequest,
  type DraftStream,
  withMix,
  withRequestGrid,
} from '../../model/draft/streamDraft';
import { withChange } from '../../model/paths';
import { gridOf } from '../../model/variables';
import { AccessLogDialog } from './AccessLogDialog';
import { HeadersField } from './HeadersField';
import classes from './MixFields.module.css';

const NUMBER = '{n}';
/** A longer list is folded at first. */
const MOST_OPEN = 30;

/** Requests drawn by weight from a list, instead of one. */
export function MixFields({ path }: { path: string }) {
  const own = `${path}.requests`;
  const count = useValue<DraftRequest[]>(own).length;
  const summary = plural(count, { one: 'Mix of # request', other: 'Mix of # requests' });
  const [reads, setReads] = useState(false);
  return (
    <>
      <SwitchField
        path={own}
        label={t`A mix of requests`}
        description={t`Each request is drawn by weight from a list. ${NUMBER} in a path becomes a number.`}
        checked={count > 0}
        change={(draft, wanted) =>
          withChange<typeof draft, DraftStream>(draft, path, (stream) => withMix(stream, wanted))
        }
      />
      <Group>
        <Button
          variant="default"
          size="compact-xs"
          leftSection={<IconFileUpload size={12} />}
          onClick={() => setReads(true)}
        >
          {t`From an access log…`}
        </Button>
      </Group>
      <AccessLogDialog path={path} opened={reads} onClose={() => setReads(false)} />
      {count > 0 && (
        <More summary={summary} open={count <= MOST_OPEN}>
          <MixTable path={own} />
          <Row>
            <Field of="Stream.requests_seed" at={path} />
          </Row>
        </More>
      )}
    </>
  );
}

function MixTable({ path }: { path: string }) {
  const paste = usePaste(path);
  return (
    <div onPasteCapture={paste}>
      <List<DraftRequest>
        path={path}
        label={t`Requests of the mix`}
        nameOf={(_, number) => t`request ${number}`}
        create={blankRequest}
        least={1}
        row={classes.request}
        adds={t`Add request`}
        below={({ headers, body, body_bytes }, { path: at, number }) => (
          <More summary={t`Headers, body`} open={headers.length > 0 || body !== null || body_bytes !== null}>
            <HeadersField path={`${at}.headers`} of={t`request ${number}`} />
            <Fields of="MixedRequest" at={at} only={['body_bytes', 'body']} />
          </More>
        )}
      >
        {(_, { path: at }) => (
          <div className={classes.fields}>
            <Fields
              of="MixedRequest"
              at={at}
              only={['weight', 'method', 'path', 'count', 'draw', 'exponent']}
            />
          </div>
        )}
      </List>
      <Note>{t`Cells of a spreadsheet can be pasted: weight, method, path, n below, draw, exponent.`}</Note>
    </div>
  );
}

/** Cells of a spreadsheet fill the rows from here on; any other text is pasted as usual. */
function usePaste(path: string) {
  const store = useStore();
  return (event: ClipboardEvent) => {
    const { clipboardData: data, target } = event;
    const field = (target as Element).closest('[data-field]')?.getAttribute('data-field') ?? '';
    const [row, column] = field.slice(path.length + 1).split('.');
    const grid = gridOf(data.getData('text/plain'), data.getData('text/html'));
    if (!grid || !column || column === 'headers' || !field.startsWith(`${path}.`)) return;
    event.preventDefault();
    store.change((draft) =>
      withChange<typeof draft, DraftRequest[]>(draft, path, (requests) =>
        withRequestGrid(requests, Number(row), column, grid),
      ),
    );
  };
}
