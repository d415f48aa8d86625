import type { PolicyState } from '#api/schemas/policy/policy.ts'
import { usePolicy, useQueues } from '../api/queries.ts'

type QueueSettings = PolicyState['queues'][number]

/** The queues with their teams, their pending requests, and their reminders and escalations. */
export function QueuesInForce() {
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
