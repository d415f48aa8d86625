import { starterName } from '#domain/text/starter-name.ts'
import { Link } from 'react-router'
import type { RunDetail } from '#api/schemas/runs/runs.ts'
import { LinesView } from '../../effect/lines-view.tsx'
import { dollars } from '../../text/dollars.ts'
import { Fact } from '../../text/fact.tsx'
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
        <Origin run={run} />
        <Usage run={run} />
        {run.attachments.length > 0 && <Attachments files={run.attachments} />}
        {run.lineage.length > 1 && <Lineage run={run} />}
        {run.children.length > 0 && (
          <Fact name="Child runs">
            <ChildRuns items={run.children} waitsFor={run.waitsFor} />
          </Fact>
        )}
        {run.workspace.branch !== undefined && <Branch workspace={run.workspace} />}
        {run.workspaceRoot !== null && (
          <Fact name="Workspace" className="mono break">
            {run.workspaceRoot}
          </Fact>
        )}
      </dl>
      <Preamble runId={run.id} />
      <Proof run={run} />
      {typeof run.input !== 'string' && (
        <details className="turns">
          <summary>Input</summary>
          <LinesView text={JSON.stringify(run.input, null, 2)} showFinalNewline={false} />
        </details>
      )}
    </section>
  )
}

function Origin({ run: { startedBy, createdAt, number, forkedFrom } }: { run: RunDetail }) {
  return (
    <>
      <Fact name="Started by">
        {starterName(startedBy)}, <Time at={createdAt} />
      </Fact>
      <Fact name="Number">
        {number}
        {forkedFrom !== undefined && (
          <>
            , goes on from <Link to={`/runs/${forkedFrom.runId}`}>run {forkedFrom.number}</Link>{' '}
            after turn {forkedFrom.turn}
          </>
        )}
      </Fact>
    </>
  )
}

function Usage({ run }: { run: RunDetail }) {
  return (
    <>
      <Fact name="Model" className="break">
        {run.scripted ? `${run.model} (a script)` : run.model}
      </Fact>
      <Fact name="Turns">{run.turns}</Fact>
      <Fact name="Tokens">{usageText(run.usage)}</Fact>
      <Fact name="Window">
        <WindowMeter context={run.context} />
      </Fact>
    </>
  )
}

function Attachments({ files }: { files: RunDetail['attachments'] }) {
  return (
    <Fact name="Attachments" className="break">
      {files.map((file) => (
        <div key={file.path}>
          <code>
            <VisibleText text={file.path} />
          </code>{' '}
          {file.bytes.toLocaleString('en')} bytes
          {file.given ? '' : ', the model gets only the name'}
        </div>
      ))}
    </Fact>
  )
}

function Lineage({ run }: { run: RunDetail }) {
  return (
    <Fact name="Lineage">
      {run.lineage.map(({ runId, worker }) => (
        <div key={runId}>
          {runId === run.id ? worker : <Link to={`/runs/${runId}`}>{worker}</Link>}
        </div>
      ))}
    </Fact>
  )
}

/** The branch of the run's worktree, and what became of the worktree. */
function Branch({ workspace }: { workspace: RunDetail['workspace'] }) {
  const { branch, name, base, discardedAt, removedAt } = workspace
  return (
    <Fact name="Branch" className="break">
      <span className="mono">{branch}</span>, of workspace {name}; begun at{' '}
      <span className="mono">{base}</span>
      {discardedAt !== undefined && (
        <>
          ; worktree discarded <Time at={discardedAt} />
        </>
      )}
      {removedAt !== undefined && (
        <>
          ; removed <Time at={removedAt} />
        </>
      )}
    </Fact>
  )
}

function Proof({ run }: { run: RunDetail }) {
  return (
    <details className="turns">
      <summary>Proof</summary>
      <dl className="facts">
        <Fact name="Policy">
          <Hash value={run.policyDigest} what="policy digest" />
        </Fact>
        {run.workspace.baseCommit !== undefined && (
          <Fact name="Base commit">
            <Hash value={run.workspace.baseCommit} what="commit at which the branch begins" />
          </Fact>
        )}
        {run.attachments.map(({ path, hash }) => (
          <Fact key={path} name="Attachment" className="break">
            <VisibleText text={path} /> <Hash value={hash} what="hash of the file" />
          </Fact>
        ))}
        <Fact name="Workflow" className="mono break">
          {run.temporalUrl === null ? (
            run.workflowId
          ) : (
            <a href={run.temporalUrl} rel="noreferrer">
              {run.workflowId}
            </a>
          )}
        </Fact>
      </dl>
    </details>
  )
}

function usageText({ inputTokens, cachedInputTokens, outputTokens, costUsd }: RunDetail['usage']) {
  const count = (tokens: number): string => tokens.toLocaleString('en')
  const cached = cachedInputTokens === 0 ? '' : ` (${count(cachedInputTokens)} cached)`
  const cost = costUsd === null ? '' : `, ${dollars(costUsd)}`
  return `${count(inputTokens)} in${cached}, ${count(outputTokens)} out${cost}`
}
