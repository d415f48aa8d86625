import type { WorkerDetail } from '#api/schemas/operation/workers.ts'
import { approvalWords } from '#domain/policy/verdict.ts'
import { LinesView } from '../effect/lines-view.tsx'
import { dollars } from '../text/dollars.ts'
import { DigestProof } from './digest-proof.tsx'
import { RuleLines } from './matrix/rule-lines.tsx'

/** One worker of the policy in force: what it may do, its zones, tools and limits, in words. */
export function WorkerRules({ worker }: { worker: WorkerDetail }) {
  const lines = approvalWords.flatMap((approval) =>
    worker.preview.lines.filter((line) => line.approval === approval),
  )
  return (
    <div className="column worker-rules">
      <div className="small">
        <h3>What it may do</h3>
        <RuleLines lines={lines} />
      </div>
      {worker.zones.length > 0 && (
        <div>
          <h3>Zones</h3>
          <ul className="plain-list">
            {worker.zones.map((zone) => (
              <li key={zone.name}>
                <span className="grow">
                  {zone.name}: {zone.root === '.' ? 'the workspace' : <code>{zone.root}/</code>}
                  {zone.suffixes !== null && (
                    <span className="dim"> only {zone.suffixes.join(' ')}</span>
                  )}
                </span>
                <span className="dim small">
                  {zone.mode === 'rw' ? 'can read and write' : 'can only read'}
                </span>
              </li>
            ))}
          </ul>
        </div>
      )}
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
        <span className="dim">Limits of a run</span> {limitsText(worker.limits)}
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
      <DigestProof
        digests={[{ of: 'its file', value: worker.digest, what: 'digest of the worker' }]}
      />
    </div>
  )
}

function limitsText({ costUsd, ...counts }: WorkerDetail['limits']): string {
  const texts = Object.entries(counts).flatMap(([what, max]) =>
    typeof max === 'number'
      ? `${max.toLocaleString('en')} ${max === 1 ? what.replace(/s$/, '') : what}`
      : [],
  )
  const cost = typeof costUsd === 'number' ? [dollars(costUsd)] : []
  return [...texts, ...cost].join(', ')
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
