import { Button } from '@mantine/core'
import { useMemo, useRef } from 'react'
import { Link, useLocation, useNavigate, useParams } from 'react-router'
import { needOfRun } from '#domain/runs/need-of-run.ts'
import { starterName } from '#domain/text/starter-name.ts'
import type { RunDetail } from '#api/schemas/runs/runs.ts'
import type { TranscriptItem } from '#api/schemas/runs/transcript.ts'
import { useMe, useRun, useTranscript } from '../../api/queries.ts'
import { useShortcut } from '../../keyboard/keyboard-provider.tsx'
import { Headline } from '../../shell/headline.tsx'
import { OwnCommand } from '../../states/command.tsx'
import { Failure } from '../../states/failure.tsx'
import { Loading, LoadingCards } from '../../states/loading.tsx'
import { Together } from '../../states/together.tsx'
import { SecretsContext, useRunSecrets } from '../../text/secret-chips.tsx'
import { Time } from '../../text/time.tsx'
import { VisibleText } from '../../text/visible-text.tsx'
import { CallTool } from '../calls/call-tool.tsx'
import { DecidableCalls } from '../calls/open-call.tsx'
import { ChangedFiles } from './changed-files.tsx'
import { backToRuns } from '../last-runs.ts'
import { Grants } from './grants.tsx'
import { Composer } from './composer.tsx'
import { ModeBanner } from './mode-banner.tsx'
import { RunActions } from './run-actions.tsx'
import { RunStream } from '../live/run-in-progress.tsx'
import { RunState } from '../run-state.tsx'
import { GoToTurn } from '../turns/go-to-turn.tsx'
import { ReturnToPlace, useLastPlace } from '../turns/last-place.tsx'
import { TurnText } from '../turns/turn-text.tsx'
import { TurnViews } from '../turns/turn-view.tsx'
import { useFollowEnd } from '../live/use-follow-end.ts'
import { Waterfall } from '../usage/waterfall.tsx'
import { RunStatus, WaitsFor, WaitsToStart } from './run-status.tsx'
import { StartDenial } from './start-denial.tsx'
import { UnsentMessage } from './unsent-message.tsx'
import { AboutRun } from './about-run.tsx'
import '../runs.css'

/** One run: its turns, the requests it waits for, and the actions on it. */
export function RunPage() {
  const { id = '' } = useParams()
  const run = useRun(id)
  const transcript = useTranscript(run.data?.id ?? null)
  if (run.isLoadingError) {
    return <Failure query={run} isPage />
  }
  if (run.data === undefined) return <LoadingCards what="the run" layout="beside" />
  return <RunWithSecrets key={run.data.id} run={run.data} transcript={transcript} />
}

interface OpenedRun {
  readonly run: RunDetail
  readonly transcript: ReturnType<typeof useTranscript>
}

/** Values that look like secrets in the transcript are masked until the person reveals them. */
function RunWithSecrets(props: OpenedRun) {
  const { others } = useRunSecrets(props.run.id)
  return (
    <SecretsContext value={others}>
      <Run {...props} />
    </SecretsContext>
  )
}

function Run({ run, transcript }: OpenedRun) {
  const navigate = useNavigate()
  useShortcut('back', () => void navigate(...backToRuns(run.id)))
  const { hash } = useLocation()
  const items = transcript.data?.items
  const length = useMemo(() => JSON.stringify(items ?? null).length, [items])
  const growth = items === undefined ? null : `${run.state} ${length}`
  const region = useRef<HTMLDivElement>(null)
  const place = useLastPlace(region)
  const { behind, follow, toEnd } = useFollowEnd(
    region,
    growth,
    run.endedAt === null && hash === '' && place === null,
  )
  return (
    <Together what="the run" layout="beside">
      <div className="run">
        <div ref={region} className="column run-conversation">
          <RunHead run={run} />
          <DecidableCalls run={run} items={items ?? []}>
            <WaitsToStart run={run} />
            <WaitsFor run={run} />
            {run.endReason !== null && (
              <p>
                Reason for the end: “<VisibleText text={run.endReason} />”
              </p>
            )}
            {run.workspaceRoot !== null && run.state === 'completed' && (
              <NextSteps root={run.workspaceRoot} />
            )}
            <Turns run={run} transcript={transcript} place={place} onGrowth={follow} />
          </DecidableCalls>
          {behind && (
            <Button className="to-end" size="compact-sm" onClick={toEnd}>
              Show what is new
            </Button>
          )}
          {run.allowed.message ? (
            <Composer run={run} onSent={toEnd} onGrowth={follow} />
          ) : (
            <UnsentMessage run={run} />
          )}
        </div>
        <aside className="column" aria-label="About the run">
          <RunActions run={run} />
          <AboutRun run={run} />
          <Grants runId={run.id} />
          {run.allowed.call && <CallTool runId={run.id} />}
          <ChangedFiles runId={run.id} />
          {items !== undefined && <Waterfall items={items} hasEnded={run.endedAt !== null} />}
        </aside>
      </div>
    </Together>
  )
}

/** The state of the run, its task, and what is unusual about it. */
function RunHead({ run }: { run: RunDetail }) {
  return (
    <>
      <div className="row">
        <RunState run={run} />
        {run.scripted && <span className="mark">scripted model: a script with fixed turns</span>}
        {run.pendingRequests > 0 && (
          <Link className="decide-link" to={`/?runId=${run.id}`}>
            {run.pendingRequests} to {needOfRun(run)}
          </Link>
        )}
      </div>
      <Headline tab={`Run of ${run.worker}`}>
        {run.worker}: <VisibleText text={run.title} />
      </Headline>
      <ModeBanner mode={run.mode} startedBy={starterName(run.startedBy)} />
      {run.failure !== undefined && (
        <p className="banner" role="status">
          <strong>{run.state === 'cancelled' ? 'It did not begin.' : 'It is stalled.'}</strong>{' '}
          <VisibleText text={run.failure.message} />
          {/[.!?…]$/.test(run.failure.message) ? '' : '.'}
          {run.state === 'cancelled' && run.startRequestId !== undefined && (
            <StartDenial requestId={run.startRequestId} />
          )}
        </p>
      )}
      {[...new Map(run.warnings.map((one) => [one.text, one])).values()].map(({ text, until }) => (
        <p key={text} className="banner" role="status">
          {text}. The first person is back <Time at={until} />.
        </p>
      ))}
    </>
  )
}

/** The turns of the run, with the text that its model writes now. */
function Turns(
  props: OpenedRun & { place: ReturnType<typeof useLastPlace>; onGrowth: () => void },
) {
  const { run, transcript } = props
  const items = transcript.data?.items
  const last = lastTurn(items ?? [])
  return (
    <section className="conversation" aria-labelledby="timeline-title">
      <div className="row spread conversation-head">
        <h2 id="timeline-title" tabIndex={-1}>
          Turns
        </h2>
        <GoToTurn last={last} />
      </div>
      {transcript.isPending && <Loading what="the turns" lines={4} />}
      {transcript.isError && items === undefined && <Failure query={transcript} />}
      <ReturnToPlace place={props.place} hasTurns={items !== undefined} />
      <div className="timeline">
        <RunStream run={run} items={items ?? []}>
          <TurnViews items={items ?? []} runId={run.id} arePlaces />
          <TurnText shownTurns={last} onGrowth={props.onGrowth} />
        </RunStream>
      </div>
      <RunStatus run={run} items={items} />
    </section>
  )
}

/** The last turn whose message of the model is loaded. */
function lastTurn(items: readonly TranscriptItem[]): number {
  return Math.max(0, ...items.map(({ role, turn }) => (role === 'assistant' ? turn : 0)))
}

/** In the example: where its files are, and how to set up a project. */
function NextSteps({ root }: { root: string }) {
  const me = useMe()
  if (!me.installation.sample) return null
  return (
    <section className="card column" aria-labelledby="next-title">
      <h2 id="next-title">Next steps</h2>
      <p>
        The files are in <code className="break">{root}</code>. A project of your own, in two
        commands:
      </p>
      <OwnCommand text="init ../my-project" />
      <OwnCommand text="start --project ../my-project" />
    </section>
  )
}
