import { starterName } from '#domain/text/starter-name.ts'
import { Link } from 'react-router'
import type { RunDetail } from '#api/schemas/runs/runs.ts'
import { LinesView } from '../../effect/lines-view.tsx'
import { dollars } from '../../text/dollars.ts'
import { Hash } from '../../text/hash.tsx'
import { Time } from '../../text/time.tsx'
import { VisibleText } from '../../text/visible-text.tsx'
import { ChildRuns } from './child-runs.tsx'
import { Preamble } from './preamble.tsx'
import { WindowMeter } from '../usage/window-meter.tsx'

/** The facts of a run, beside its transcript. */
export function AboutRun({ run }: { run: RunDetail }) {
  return (
    <section className="card" aria-labelledby="about-title">
      <h2 id="about-title">About</h2>
      <dl className="facts">
        <div className="fact">
          <dt>Started by</dt>
          <dd>
            {starterName(run.startedBy)}, <Time at={run.createdAt} />
          </dd>
        </div>
        <div className="fact">
          <dt>Number</dt>
          <dd>
            {run.number}
            {run.forkedFrom !== undefined && (
              <>
                , goes on from{' '}
                <Link to={`/runs/${run.forkedFrom.runId}`}>run {run.forkedFrom.number}</Link> after
                turn {run.forkedFrom.turn}
              </>
            )}
          </dd>
        </div>
        <div className="fact">
          <dt>Model</dt>
          <dd className="break">{run.scripted ? `${run.model} (a script)` : run.model}</dd>
        </div>
        <div className="fact">
          <dt>Turns</dt>
          <dd>{run.turns}</dd>
        </div>
        <div className="fact">
          <dt>Tokens</dt>
          <dd>{usageText(run.usage)}</dd>
        </div>
        <div className="fact">
          <dt>Window</dt>
          <dd>
            <WindowMeter context={run.context} />
          </dd>
        </div>
        {run.attachments.length > 0 && (
          <div className="fact">
            <dt>Attachments</dt>
            <dd className="break">
              {run.attachments.map((file) => (
                <div key={file.path}>
                  <code>
                    <VisibleText text={file.path} />
                  </code>{' '}
                  {file.bytes.toLocaleString('en')} bytes
                  {file.given ? '' : ', the model gets only the name'}{' '}
                  <Hash value={file.hash} what="hash of the file" />
                </div>
              ))}
            </dd>
          </div>
        )}
        {run.lineage.length > 1 && (
          <div className="fact">
            <dt>Lineage</dt>
            <dd>
              {run.lineage.map((entry) => (
                <div key={entry.runId}>
                  {entry.runId === run.id ? (
                    entry.worker
                  ) : (
                    <Link to={`/runs/${entry.runId}`}>{entry.worker}</Link>
                  )}
                </div>
              ))}
            </dd>
          </div>
        )}
        {run.children.length > 0 && (
          <div className="fact">
            <dt>Child runs</dt>
            <dd>
              <ChildRuns items={run.children} />
            </dd>
          </div>
        )}
        {run.workspace.branch !== undefined && (
          <div className="fact">
            <dt>Branch</dt>
            <dd className="break">
              <span className="mono">{run.workspace.branch}</span>, of workspace{' '}
              {run.workspace.name}; begun at <span className="mono">{run.workspace.base}</span>,{' '}
              <Hash value={run.workspace.baseCommit ?? ''} what="commit it begins at" />
              {run.workspace.discardedAt !== undefined && (
                <>
                  ; worktree discarded <Time at={run.workspace.discardedAt} />
                </>
              )}
              {run.workspace.removedAt !== undefined && (
                <>
                  ; removed <Time at={run.workspace.removedAt} />
                </>
              )}
            </dd>
          </div>
        )}
        {run.workspaceRoot !== null && (
          <div className="fact">
            <dt>Workspace</dt>
            <dd className="mono break">{run.workspaceRoot}</dd>
          </div>
        )}
      </dl>
      <Preamble runId={run.id} />
      <details className="turns">
        <summary>Proof</summary>
        <dl className="facts">
          <div className="fact">
            <dt>Policy</dt>
            <dd>
              <Hash value={run.policyDigest} what="policy digest" />
            </dd>
          </div>
          <div className="fact">
            <dt>Workflow</dt>
            <dd className="mono break">
              {run.temporalUrl === null ? (
                run.workflowId
              ) : (
                <a href={run.temporalUrl} rel="noreferrer">
                  {run.workflowId}
                </a>
              )}
            </dd>
          </div>
        </dl>
      </details>
      {typeof run.input !== 'string' && (
        <details className="turns">
          <summary>Input</summary>
          <LinesView text={JSON.stringify(run.input, null, 2)} showFinalNewline={false} />
        </details>
      )}
    </section>
  )
}

function usageText({ inputTokens, cachedInputTokens, outputTokens, costUsd }: RunDetail['usage']) {
  const count = (tokens: number): string => tokens.toLocaleString('en')
  const cached = cachedInputTokens === 0 ? '' : ` (${count(cachedInputTokens)} cached)`
  const cost = costUsd === null ? '' : `, ${dollars(costUsd)}`
  return `${count(inputTokens)} in${cached}, ${count(outputTokens)} out${cost}`
}
