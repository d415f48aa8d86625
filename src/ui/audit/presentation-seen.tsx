import { useQuery } from '@tanstack/react-query'
import type { AuditEventView } from '#api/schemas/audit/audit.ts'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import type { PresentationType } from '#domain/tools/presentation.ts'
import { countWords } from '#domain/text/quantities/count-words.ts'
import { ApiRefusal } from '../api/call-api.ts'
import { requestQuery } from '../api/queries.ts'
import { Failure } from '../states/failure.tsx'
import { Loading } from '../states/loading.tsx'
import { SecretsContext, useRequestSecrets } from '../text/secret-chips.tsx'
import { Time } from '../text/time.tsx'
import { VisibleText } from '../text/visible-text.tsx'

/**
 * What the people who decided a request saw: the task, the type and the size of the presentation,
 * and its cues and warnings. It also names the people for whom the service knows that all of it was
 * on their screen.
 */
export function PresentationSeen(props: { request: string; events: readonly AuditEventView[] }) {
  const query = useQuery(requestQuery(props.request))
  const { data, error, isPending } = query
  if (isPending) return <Loading what="what was shown" lines={2} />
  if (data === undefined) {
    if (!isHidden(error)) return <Failure query={query} />
    return (
      <p className="dim small">
        You can read the trail of this request, but not the request itself. {whereDigest}
      </p>
    )
  }
  if (data.erased !== null) {
    return (
      <p className="dim small">
        <VisibleText text={data.erased.by.name} /> had it erased <Time at={data.erased.at} />.{' '}
        {whereDigest}
      </p>
    )
  }
  return <Details request={data} events={props.events} />
}

const whereDigest = 'The digest of what was shown is in the record “Request opened”.'

function isHidden(error: Error): boolean {
  return error instanceof ApiRefusal && (error.status === 403 || error.status === 404)
}

const forms: Readonly<Record<PresentationType, string>> = {
  text: 'A text',
  diff: 'A difference',
  file_content: 'A file',
  command: 'A command',
  structured: 'The fields of the call',
  binary: 'The facts of a file that is no text',
}

function Details({
  request,
  events,
}: {
  request: RequestDetail
  events: readonly AuditEventView[]
}) {
  const { presentation, cues, task, revision } = request
  const { type, totalLines, totalBytes, warnings } = presentation
  const readers = readersOf(presentation.digest, events)
  const { others } = useRequestSecrets(request.id, revision)
  // All cues and warnings, because approvers saw all of them before `displayedCues` existed.
  const marks = [
    ...cues.map(({ id, line = 0, text }) => ({
      key: `${id} ${line} ${text}`,
      text,
    })),
    ...warnings.map((text) => ({ key: `warning ${text}`, text })),
  ]
  return (
    <SecretsContext value={others}>
      <ul className="plain-list event-history-facts">
        {task !== null && (
          <li>
            <span className="grow break">
              {task.by === null ? 'The task' : `The task from ${task.by.name}`}{' '}
              <q className="event-quote">
                <VisibleText text={task.text} />
              </q>
            </span>
          </li>
        )}
        <li>
          <span className="grow break">
            {forms[type]}: {countWords(totalLines, 'line')}, {totalBytes.toLocaleString('en')} bytes
            {revision > 1 && `, as changed in revision ${revision}`}
          </span>
        </li>
        {marks.map(({ key, text }) => (
          <li key={key}>
            <span className="grow break">
              <span className="dim">Marked:</span> <VisibleText text={text} />
            </span>
          </li>
        ))}
        {readers.length > 0 && (
          <li>
            <span className="grow break">
              All of it was on the screen of {readers.join(' and ')} before the decision.
            </span>
          </li>
        )}
      </ul>
    </SecretsContext>
  )
}

/** Whoever stated with their decision that this presentation was on their screen. */
function readersOf(digest: string, events: readonly AuditEventView[]): readonly string[] {
  const names = events.flatMap(({ type, actor, detail }) =>
    type === 'decision.recorded' && detail['seen'] === digest ? [actor.name ?? 'somebody'] : [],
  )
  return [...new Set(names)]
}
