import type { WorkerDetail } from '#api/schemas/operation/workers.ts'
import { LinesView } from '../effect/lines-view.tsx'
import { VisibleText } from '../text/visible-text.tsx'

/** One worker of the policy in force: its zones, tools and limits. */
export function WorkerRules({ worker }: { worker: WorkerDetail }) {
  return (
    <div className="column worker-rules">
      <div>
        <h3>Zones</h3>
        <ul className="plain-list">
          {worker.zones.map((zone) => (
            <li key={zone.name}>
              <span className="grow">
                {zone.name}: <code>{zone.root}</code>
                {zone.suffixes !== null && (
                  <span className="dim"> only {zone.suffixes.join(' ')}</span>
                )}
              </span>
              <span className="dim small">
                {zone.mode === 'rw' ? 'may write' : 'may only read'}
              </span>
              <code className="small">
                {Object.entries(zone.approval)
                  .map(
                    ([verb, approval]) =>
                      `${verb}: ${typeof approval === 'string' ? approval : JSON.stringify(approval)}`,
                  )
                  .join(', ')}
              </code>
            </li>
          ))}
        </ul>
      </div>
      <p className="small">
        <span className="dim">Tools</span> {worker.tools.join(', ') || 'none'}
      </p>
      <p className="small">
        <span className="dim">May call</span> {worker.workers.join(', ') || 'no worker'}
      </p>
      {worker.sandbox !== null && (
        <p className="small">
          <span className="dim">Sandbox</span> {sandboxText(worker.sandbox)}
        </p>
      )}
      <p className="small">
        <span className="dim">Limits</span>{' '}
        {Object.entries(worker.limits)
          .map(
            ([what, max]) =>
              `${typeof max === 'number' ? max.toLocaleString('en') : JSON.stringify(max)} ${what}`,
          )
          .join(', ')}
      </p>
      {worker.startableBy !== null && (
        <p className="small">
          <span className="dim">Startable by</span> {worker.startableBy.join(', ')}
        </p>
      )}
      <details>
        <summary className="small">Instructions</summary>
        <LinesView text={worker.instructions} showFinalNewline={false} />
      </details>
      <p className="small">
        <span className="dim">Definition</span>{' '}
        <code className="break">
          <VisibleText text={worker.digest} />
        </code>
      </p>
    </div>
  )
}

function sandboxText({ required, network }: NonNullable<WorkerDetail['sandbox']>): string {
  const networkTexts = {
    none: 'commands have no network',
    allow: 'commands may open the network',
  }
  const words =
    network === 'none' || network === 'allow'
      ? networkTexts[network]
      : `commands may reach ${[network].flat().join(', ')}`
  return required ? `${words}; without a working sandbox none runs` : words
}
