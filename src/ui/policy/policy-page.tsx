import { useState } from 'react'
import { useSearchParams } from 'react-router'
import type { Worker } from '#api/schemas/operation/workers.ts'
import type { PolicyState } from '#api/schemas/policy/policy.ts'
import { useWorker, useWorkerLines, usePolicy, useQueues } from '../api/queries.ts'
import { Headline } from '../shell/headline.tsx'
import { Failure } from '../states/failure.tsx'
import { Loading, LoadingCards } from '../states/loading.tsx'
import { Together } from '../states/together.tsx'
import { VisibleText } from '../text/visible-text.tsx'
import { ExplainForm } from './explain-form.tsx'
import { History } from './history.tsx'
import { McpDefinitions } from './mcp-definitions.tsx'
import { NotificationsInForce } from './notifications-in-force.tsx'
import { PeopleOfProject } from './people-of-project.tsx'
import { PolicyMatrix } from './matrix/policy-matrix.tsx'
import { PolicyVersion } from './policy-version.tsx'
import { ProposedChanges } from './proposed-changes.tsx'
import { RoutingInForce } from './routing-in-force.tsx'
import { WorkerRules } from './worker-rules.tsx'
import './policy.css'

/**
 * The policy in force and the proposed one: version, workers with their zones, queues, routing, and
 * verdicts for hypothetical calls.
 */
export function PolicyPage() {
  const workers = useWorkerLines()
  if (workers.isPending) return <LoadingCards what="the policy" layout="table" />
  const head = (
    <div className="page-head">
      <Headline tab="Policy">Policy</Headline>
    </div>
  )
  if (workers.isLoadingError) {
    return (
      <>
        {head}
        <Failure query={workers} isPage />
      </>
    )
  }
  return (
    <Together what="the policy" layout="table">
      {head}
      {/* What waits to be agreed to is on the first screen, however many workers there are. */}
      <div className="policy-first">
        <PolicyVersion digest={workers.data.policyDigest} />
      </div>
      {workers.data.items.length > 0 && <PolicyMatrix workers={workers.data.items} />}
      <div className="policy">
        <div className="column">
          <ProposedChanges />
          <section className="column" aria-labelledby="workers-title">
            <h2 id="workers-title">Workers</h2>
            {workers.data.items.length === 0 && (
              <p className="dim">
                No workers: add a Markdown file to the project's workers folder.
              </p>
            )}
            {workers.data.items.map((worker) => (
              <WorkerCard key={worker.name} worker={worker} />
            ))}
          </section>
          <McpDefinitions />
          <RoutingInForce />
          <History />
        </div>
        <div className="column policy-side">
          <ExplainForm workers={workers.data.items.map((worker) => worker.name)} />
          <QueuesInForce />
          <PeopleOfProject />
          <NotificationsInForce />
        </div>
      </div>
    </Together>
  )
}

function WorkerCard({ worker }: { worker: Worker }) {
  // A link can name a worker, to which the page scrolls.
  const isLinked = useSearchParams()[0].get('worker') === worker.name
  const [open, setOpen] = useState(isLinked)
  return (
    <details
      className="card worker"
      open={open}
      ref={isLinked ? scrollHere : null}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        <strong>{worker.name}</strong>
        <span className="dim small">
          {' '}
          {worker.scripted ? 'scripted model' : worker.model}
          {worker.queue !== null && ` · asks ${worker.queue}`}
          {worker.startable ? '' : ' · not startable by you'}
        </span>
        <br />
        <VisibleText text={worker.description} />
      </summary>
      {open && <WorkerDetails name={worker.name} />}
    </details>
  )
}

/** Scrolls to the element once it is drawn. */
function scrollHere(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'start' })
}

function WorkerDetails({ name }: { name: string }) {
  const worker = useWorker(name)
  if (worker.isPending) return <Loading what="the worker" lines={3} />
  if (worker.isLoadingError) return <Failure query={worker} />
  return <WorkerRules worker={worker.data} />
}

type QueueSettings = PolicyState['queues'][number]

/** The queues with their teams, their pending requests, and their reminders and escalations. */
function QueuesInForce() {
  const queues = useQueues()
  const policy = usePolicy()
  return (
    <section className="card" aria-labelledby="queues-title">
      <h2 id="queues-title">Queues</h2>
      <ul className="plain-list">
        {queues.data?.items.map((queue) => {
          const settings = policy.data?.queues.find(({ name }) => name === queue.name)
          return (
            <li key={queue.name}>
              <span className="grow break">
                {queue.name}
                {settings !== undefined && (
                  <span className="dim small"> · {settingsText(settings)}</span>
                )}
              </span>
              <span className="dim small queue-fact">team {queue.team}</span>
              <span className="dim small queue-fact">{queue.pending} waiting</span>
            </li>
          )
        })}
      </ul>
    </section>
  )
}

function settingsText(queue: QueueSettings): string {
  const parts = [
    queue.remindAfter.length === 0 ? '' : `reminded after ${queue.remindAfter.join(', ')}`,
    ...queue.escalate.map((one) => `escalated to ${one.addTeams.join(', ')} after ${one.after}`),
    `expires after ${queue.expiresAfter}`,
    queue.edits === null ? '' : `edits: ${queue.edits}`,
    queue.selfApproval ? 'self-approval' : '',
  ]
  return parts.filter((part) => part !== '').join(' · ')
}
