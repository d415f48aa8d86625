import { useQuery } from '@tanstack/react-query'
import { Fragment } from 'react'
import { Link } from 'react-router'
import type { WorkerCalls } from '#api/schemas/operation/workers.ts'
import type { Verdict } from '#domain/policy/verdict.ts'
import { requestStateWords } from '#domain/text/request-state-words.ts'
import { callApi } from '../../api/call-api.ts'
import { Failure } from '../../states/failure.tsx'
import { Loading } from '../../states/loading.tsx'
import { Time } from '../../text/time.tsx'
import { VisibleText } from '../../text/visible-text.tsx'

/** The last calls of a worker with these tools, and links to all requests about them. */
export function LastCalls({ worker, tools }: { worker: string; tools: readonly string[] }) {
  const calls = useQuery({
    queryKey: ['workers', worker, 'calls', tools],
    queryFn: ({ signal }) =>
      callApi('listWorkerCalls', {
        params: { name: worker },
        query: { tools: tools.join(',') },
        signal,
      }),
  })
  return (
    <section className="column" aria-label="Last calls">
      {calls.isPending && <Loading what="the last calls" lines={2} />}
      <Failure query={calls} />
      {calls.data?.items.length === 0 && <p className="dim">No calls yet in the newest runs.</p>}
      <ul className="plain-list">
        {calls.data?.items.map((call) => (
          <li key={call.callId}>
            <span className="grow break">
              <VisibleText text={call.title} /> <Outcome call={call} />
            </span>
            <Link to={`/runs/${call.runId}`}>Run {call.runNumber}</Link>
            <span className="dim">
              <Time at={call.at} />
            </span>
          </li>
        ))}
      </ul>
      <p className="dim">
        All requests:{' '}
        {tools.map((tool, index) => (
          <Fragment key={tool}>
            {index > 0 && ', '}
            <Link to={`/?${new URLSearchParams({ state: 'any', tool, worker }).toString()}`}>
              {tool}
            </Link>
          </Fragment>
        ))}
      </p>
    </section>
  )
}

const words: Readonly<Record<Verdict, string>> = {
  preApproved: 'needed no approval',
  ask: 'asked',
  blocked: 'was blocked',
  error: 'was not possible',
}

function Outcome({ call: { request, verdict } }: { call: WorkerCalls['items'][number] }) {
  if (request === null) return <span className="dim">{words[verdict]}</span>
  return (
    <span className="dim">
      asked as <Link to={`/requests/${request.number}`}>#{request.number}</Link>,{' '}
      {requestStateWords[request.state]}
    </span>
  )
}
