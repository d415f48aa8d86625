import { Button } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'react-router'
import type { NamedFileView } from '#api/schemas/requests/request-parts.ts'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { requestOf } from '#client/call.ts'
import { VisibleText } from '../../text/visible-text.tsx'
import { ContentView } from '../../effect/every-byte.tsx'
import './named-files.css'

/** All files that a command names: their contents, and whether this run wrote them. */
export function NamedFiles({ request }: { request: RequestDetail }) {
  const { namedFiles } = request
  return (
    <section className="card" aria-labelledby="named-files-title">
      <h2 id="named-files-title">
        {namedFiles.length === 1 ? 'The file it names' : 'The files it names'}
      </h2>
      <ul className="named-files">
        {namedFiles.map((file) => (
          <NamedFile key={file.path} request={request} file={file} />
        ))}
      </ul>
      <p className="dim small">
        As they were when the request was opened. If one of them changes before the command runs,
        the command does not run, and a new request is opened.
      </p>
    </section>
  )
}

function NamedFile({ request, file }: { request: RequestDetail; file: NamedFileView }) {
  const [open, setOpen] = useState(false)
  const isStored = file.kind === 'text' || file.kind === 'binary'
  const content = requestOf('getContent', {
    params: { id: request.id },
    query: { file: file.path },
  })
  return (
    <li className="named-file column" data-file={file.path}>
      <div className="row spread">
        <code className="grow break">
          <VisibleText text={file.path} />
        </code>
        <span className="dim small">{file.bytes.toLocaleString('en')} bytes</span>
      </div>
      {file.writtenBy !== null && <WrittenBy call={file.writtenBy} runId={request.runId} />}
      {isStored ? (
        <Button
          size="xs"
          variant="default"
          className="named-file-open"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          {open ? 'Hide its content' : 'Show its content'}
        </Button>
      ) : (
        <p className="dim small">{whyNotStored[file.kind]}</p>
      )}
      {open && <ContentView content={content} revision={request.revision} what="the file" />}
    </li>
  )
}

const whyNotStored: Readonly<Record<NamedFileView['kind'], string>> = {
  text: '',
  binary: '',
  withheld: 'Reading it needs an approval of its own: its content is not shown here.',
  large: 'Too large to store with the request: its content is not shown here.',
  changed: 'It changed while the request was opened: its content is not shown here.',
}

/** Says that this run wrote the file that it now wants to run. */
function WrittenBy(props: { call: NonNullable<NamedFileView['writtenBy']>; runId: string | null }) {
  const { call, runId } = props
  return (
    <p className="named-file-written">
      <strong>{writtenWords(call, call.runId === runId)}</strong>{' '}
      <Link to={`/runs/${call.runId}#call-${call.callId}`}>
        {call.tool}, turn {call.turn} of {call.worker}
      </Link>
    </p>
  )
}

function writtenWords(
  { state }: NonNullable<NamedFileView['writtenBy']>,
  byThisRun: boolean,
): string {
  if (state === 'waiting') return 'Would be written by an earlier call of this turn:'
  const who = byThisRun ? 'this run' : 'another run of the same task'
  return state === 'done'
    ? `Written by ${who}:`
    : `Perhaps written by ${who}, the outcome is not known:`
}
