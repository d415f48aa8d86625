import { starterName } from '#domain/text/starter-name.ts'
import { Button } from '@mantine/core'
import { Link, useLocation, useParams } from 'react-router'
import type { RunDetail } from '#api/schemas/runs/runs.ts'
import type { TranscriptItem } from '#api/schemas/runs/transcript.ts'
import { useMe, useRun, useTranscript } from '../../api/queries.ts'
import { LinesView } from '../../effect/lines-view.tsx'
import { Headline } from '../../shell/headline.tsx'
import { Command } from '../../states/command.tsx'
import { Failure } from '../../states/failure.tsx'
import { Loading } from '../../states/loading.tsx'
import { Hash } from '../../text/hash.tsx'
import { SecretsContext, useRunSecrets } from '../../text/secret-chips.tsx'
import { Time } from '../../text/time.tsx'
import { VisibleText } from '../../text/visible-text.tsx'
import { CallTool } from '../calls/call-tool.tsx'
import { ChildRuns } from './child-runs.tsx'
import { ChangedFiles } from './changed-files.tsx'
import { Grants } from './grants.tsx'
import { Composer } from './composer.tsx'
import { ModeBanner } from './mode-banner.tsx'
import { RunActions } from './run-actions.tsx'
import { RunStream } from '../live/run-in-progress.tsx'
import { RunState } from '../run-state.tsx'
import { WaitsFor } from './waits-for.tsx'
import { WaitsToStart } from './waits-to-start.tsx'
import { TurnText } from '../turns/turn-text.tsx'
import { TurnViews } from '../turns/turn-view.tsx'
import { useFollowEnd } from '../live/use-follow-end.ts'
import { WindowMeter } from '../usage/window-meter.tsx'
import { Waterfall } from '../usage/waterfall.tsx'
import '../runs.css'

/** One run: what it did turn by turn, what it waits for, and what one can do about it. */
export function RunPage() {
  const { id = '' } = useParams()
  const run = useRun(id)
  const transcript = useTranscript(run.data?.id ?? null)
  if (run.isError && run.data === undefined) {
    return <Failure error={run.error} retry={() => void run.refetch()} />
  }
  if (run.data === undefined) return <Loading what="the run" lines={7} />
  return <Opened key={run.data.id} run={run.data} transcript={transcript} />
}

interface OpenedRun {
  readonly run: RunDetail
  readonly transcript: ReturnType<typeof useTranscript>
}

/**
 * What looks like a secret in what a run read, said and wrote is a chip until its reader asks for
 * it.
 */
function Opened(opened: OpenedRun) {
  const { others } = useRunSecrets(opened.run.id)
  return (
    <SecretsContext value={others}>
      <Run {...opened} />
    </SecretsContext>
  )
}

function Run({ run: data, transcript }: OpenedRun) {
  const { hash } = useLocation()
  const items = transcript.data?.items
  const growth = items === undefined ? null : `${data.state} ${JSON.stringify(items).length}`
  const { behind, toEnd } = useFollowEnd(growth, data.endedAt === null && hash === '')
  return (
    <div className="run">
      <div className="column">
        <div className="row">
          <RunState state={data.state} />
          {data.scripted && <span className="mark">scripted model: a script plays its part</span>}
          {data.pendingRequests > 0 && (
            <Link className="decide-link" to={`/?runId=${data.id}`}>
              {data.pendingRequests} to decide
            </Link>
          )}
        </div>
        <Headline tab={`Run of ${data.worker}`}>
          {data.worker}: <VisibleText text={data.title} />
        </Headline>
        <ModeBanner mode={data.mode} startedBy={starterName(data.startedBy)} />
        {data.failure !== undefined && (
          <p className="banner" role="status">
            <strong>{data.state === 'cancelled' ? 'It did not begin.' : 'It stands still.'}</strong>{' '}
            <VisibleText text={data.failure.message} />
            {data.state === 'waiting_for_input' && ' A message resumes it.'}
          </p>
        )}
        {data.warnings.map(({ queue, text, until }) => (
          <p key={queue} className="banner" role="status">
            {text}. The first is back <Time at={until} />.
          </p>
        ))}
        <WaitsToStart run={data} />
        <WaitsFor run={data} />
        {data.endReason !== null && (
          <p>
            Ended because: “<VisibleText text={data.endReason} />”
          </p>
        )}
        {data.workspaceRoot !== null && data.state === 'completed' && (
          <AfterIt root={data.workspaceRoot} />
        )}
        <section className="conversation" aria-labelledby="timeline-title">
          <h2 id="timeline-title">Turns</h2>
          {transcript.isPending && <Loading what="the turns" lines={4} />}
          {transcript.isError && (
            <Failure error={transcript.error} retry={() => void transcript.refetch()} />
          )}
          <div className="timeline">
            <RunStream run={data} items={items ?? []}>
              <TurnViews items={items ?? []} runId={data.id} />
              <TurnText shownTurns={lastTurn(items ?? [])} />
            </RunStream>
          </div>
          <RunStatus run={data} />
        </section>
        {behind && (
          <Button className="to-end" size="compact-sm" onClick={toEnd}>
            Show what is new
          </Button>
        )}
        {data.allowed.message && <Composer run={data} sent={toEnd} />}
      </div>
      <aside className="column" aria-label="About the run">
        <About run={data} />
        <Grants runId={data.id} />
        {data.allowed.call && <CallTool runId={data.id} />}
        <ChangedFiles runId={data.id} />
        {items !== undefined && <Waterfall items={items} />}
        <RunActions run={data} />
      </aside>
    </div>
  )
}

function usageText({ inputTokens, cachedInputTokens, outputTokens, costUsd }: RunDetail['usage']) {
  const count = (tokens: number): string => tokens.toLocaleString('en')
  const cached = cachedInputTokens === 0 ? '' : ` (${count(cachedInputTokens)} cached)`
  const cost = costUsd === null ? '' : `, $${costUsd.toFixed(costUsd < 1 ? 4 : 2)}`
  return `${count(inputTokens)} in${cached}, ${count(outputTokens)} out${cost}`
}

/** The last turn of which the model's message is there. */
function lastTurn(items: readonly TranscriptItem[]): number {
  return Math.max(0, ...items.map(({ role, turn }) => (role === 'assistant' ? turn : 0)))
}

/** At the end of the conversation: who has the run now. */
function RunStatus({ run }: { run: RunDetail }) {
  if (run.state === 'running') {
    return (
      <p className="standing" role="status">
        <span className="standing-dot" aria-hidden /> The model is at work.
      </p>
    )
  }
  if (run.state === 'waiting_for_approval') {
    const people = [...new Set(run.waitsFor.flatMap((one) => one.people.map(({ name }) => name)))]
    return (
      <p className="standing" role="status">
        Waits for {people.length === 0 ? 'a decision' : people.join(', ')}.
      </p>
    )
  }
  if (run.rest !== 'answered' || run.restsUntil === undefined) return null
  return (
    <p className="standing">
      It rests, and goes on with the next message. It ends by itself <Time at={run.restsUntil} />.
    </p>
  )
}

function About({ run }: { run: RunDetail }) {
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
            <dt>Given with its task</dt>
            <dd className="break">
              {run.attachments.map((file) => (
                <div key={file.path}>
                  <code>
                    <VisibleText text={file.path} />
                  </code>{' '}
                  {file.bytes.toLocaleString('en')} bytes{file.given ? '' : ', named only'}{' '}
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
            <dt>Started runs</dt>
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
            </dd>
          </div>
        )}
        {run.workspaceRoot !== null && (
          <div className="fact">
            <dt>Workspace</dt>
            <dd className="mono break">{run.workspaceRoot}</dd>
          </div>
        )}
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
      {typeof run.input !== 'string' && (
        <details className="turns">
          <summary>Its input</summary>
          <LinesView text={JSON.stringify(run.input, null, 2)} showFinalNewline={false} />
        </details>
      )}
    </section>
  )
}

/** After the sample run: where the file is, and the way to a project of one's own. */
function AfterIt({ root }: { root: string }) {
  const me = useMe()
  if (!me.installation.sample) return null
  return (
    <section className="card column" aria-labelledby="next-title">
      <h2 id="next-title">What now</h2>
      <p>
        The files are in <code className="break">{root}</code>. A project of your own, in two
        commands:
      </p>
      <Command text="bin/countersign init ../my-project" />
      <Command text="bin/countersign start --project ../my-project" />
    </section>
  )
}
