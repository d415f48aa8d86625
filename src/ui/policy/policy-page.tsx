import { useState } from 'react'
import { useSearchParams } from 'react-router'
import type { Worker } from '#api/schemas/operation/workers.ts'
import { useWorker, useWorkerLines } from '../api/queries.ts'
import { Headline } from '../shell/headline.tsx'
import { Failure } from '../states/failure.tsx'
import { Loading } from '../states/loading.tsx'
import { Hash } from '../text/hash.tsx'
import { VisibleText } from '../text/visible-text.tsx'
import { ExplainForm } from './explain-form.tsx'
import { History } from './history.tsx'
import { McpDefinitions } from './mcp-definitions.tsx'
import { NotificationsInForce } from './notifications-in-force.tsx'
import { PolicyMatrix } from './matrix/policy-matrix.tsx'
import { PolicyVersion } from './policy-version.tsx'
import { ProposedChanges } from './proposed-changes.tsx'
import { QueuesInForce } from './queues-in-force.tsx'
import { RoutingInForce } from './routing-in-force.tsx'
import { WorkerRules } from './worker-rules.tsx'
import './policy.css'

/**
 * What is in force, and what would be: the version, workers with their zones, queues, routing, and
 * what policy would say of a call.
 */
export function PolicyPage() {
  const workers = useWorkerLines()
  if (workers.isPending) return <Loading what="the policy" lines={6} />
  if (workers.isError) return <Failure error={workers.error} retry={() => void workers.refetch()} />
  return (
    <>
      <div className="page-head">
        <Headline tab="Policy">Policy</Headline>
        <p className="dim small">
          In force: <Hash value={workers.data.policyDigest} what="policy digest" />
        </p>
      </div>
      {workers.data.items.length > 0 && <PolicyMatrix workers={workers.data.items} />}
      <div className="policy">
        <div className="column">
          <PolicyVersion />
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
          <QueuesInForce />
          <RoutingInForce />
          <NotificationsInForce />
          <History />
        </div>
        <ExplainForm workers={workers.data.items.map((worker) => worker.name)} />
      </div>
    </>
  )
}

function WorkerCard({ worker }: { worker: Worker }) {
  // A link that names a worker leads to it.
  const linked = useSearchParams()[0].get('worker') === worker.name
  const [open, setOpen] = useState(linked)
  return (
    <details
      className="card worker"
      open={open}
      ref={linked ? scrollHere : null}
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

/** It is drawn once the page is there. */
function scrollHere(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'start' })
}

function WorkerDetails({ name }: { name: string }) {
  const worker = useWorker(name)
  if (worker.isPending) return <Loading what="the worker" lines={3} />
  if (worker.isError) return <Failure error={worker.error} retry={() => void worker.refetch()} />
  return <WorkerRules worker={worker.data} />
}
