import { Button } from '@mantine/core'
import { useCallback, useEffect, useRef, useState, type RefObject } from 'react'
import { Link } from 'react-router'
import { errorMessage } from '#domain/error-message.ts'
import type { PolicyReplay } from '#api/schemas/policy/replay.ts'
import type { Verdict } from '#domain/policy/verdict.ts'
import { countWords } from '#domain/text/quantities/count-words.ts'
import { callApi } from '../api/call-api.ts'
import { useFocusReturn } from '../states/use-focus-return.ts'
import { isoDaysAgo } from '../text/iso-days-ago.ts'
import { VisibleText } from '../text/visible-text.tsx'
import { verbs } from '../words/verbs.ts'
import { addDifferences, isWider, keyOfGroup, type ReplayGroup } from './replay-groups.ts'

const daysBack = 30
const callsOfPage = 50
/** The number of calls that are judged without a click. */
const callsAtFirst = 500

interface Progress {
  readonly since: string
  readonly judgedCount: number
  readonly groups: readonly ReplayGroup[]
  readonly notJudged: number
  /** where to continue; `''`: at the newest call; `null`: all were judged */
  readonly cursor: string | null
}

/** `retryCalls`: the number of calls that another try judges; `null`: none can succeed */
type Run = 'judging' | 'resting' | { readonly failure: string; readonly retryCalls: number | null }

/** The folder has another version than the one whose difference is shown. */
class FolderChanged extends Error {}

/**
 * The calls of the last 30 days that the folder's version would decide differently. The newest ones
 * are judged at once, so that a person sees the effect of a version before they activate it.
 * `digest`: of the version whose difference is shown. `onFolderChanged`: the folder has another one
 * by now.
 */
export function ReplayBefore(props: { digest: string; onFolderChanged: () => void }) {
  const { digest, onFolderChanged } = props
  const [progress, setProgress] = useState<Progress>(() => ({
    since: isoDaysAgo(daysBack),
    judgedCount: 0,
    groups: [],
    notJudged: 0,
    cursor: '',
  }))
  const [run, setRun] = useState<Run>('judging')
  const stopping = useRef<AbortController | null>(null)
  const judge = useCallback(
    async (from: Progress, maxCalls: number): Promise<void> => {
      stopping.current?.abort()
      const stop = new AbortController()
      stopping.current = stop
      setRun('judging')
      try {
        await judgeCalls({ from, maxCalls, digest, signal: stop.signal, report: setProgress })
        if (!stop.signal.aborted) setRun('resting')
      } catch (error) {
        if (stop.signal.aborted) return
        const hasChanged = error instanceof FolderChanged
        setRun({ failure: errorMessage(error), retryCalls: hasChanged ? null : maxCalls })
        if (hasChanged) onFolderChanged()
      }
    },
    [digest, onFolderChanged],
  )
  const [start] = useState(progress)
  useEffect(() => {
    void judge(start, callsAtFirst)
    return () => stopping.current?.abort()
  }, [judge, start])
  const stop = (): void => {
    stopping.current?.abort()
    setRun('resting')
  }
  const buttonAct = buttonOf(progress, run)
  const result = useFocusReturn<HTMLParagraphElement>(buttonAct !== null)
  return (
    <section className="column small" aria-labelledby="replay-title">
      <h3 id="replay-title">What would change in the last {daysBack} days</h3>
      <Result progress={progress} isJudging={run === 'judging'} place={result} />
      {typeof run === 'object' && (
        <p role="alert">
          The calls were not all judged: <VisibleText text={run.failure} />
        </p>
      )}
      {buttonAct !== null && (
        <div>
          <Button
            size="xs"
            variant={run === 'judging' ? 'subtle' : 'default'}
            onClick={() =>
              buttonAct.maxCalls === 0 ? stop() : void judge(progress, buttonAct.maxCalls)
            }
          >
            {buttonAct.label}
          </Button>
        </div>
      )}
    </section>
  )
}

/** The one button: its label, and how many calls it judges (0: it stops). `null`: there is none. */
function buttonOf(progress: Progress, run: Run): { label: string; maxCalls: number } | null {
  if (run === 'judging') return { label: 'Stop', maxCalls: 0 }
  if (progress.cursor === null) return null
  if (run === 'resting')
    return { label: 'Judge the earlier calls', maxCalls: Number.MAX_SAFE_INTEGER }
  return run.retryCalls === null ? null : { label: verbs.tryAgain, maxCalls: run.retryCalls }
}

/** Judges pages of calls until there are no more, or `maxCalls` of this time are. */
async function judgeCalls(work: {
  readonly from: Progress
  readonly maxCalls: number
  readonly digest: string
  readonly signal: AbortSignal
  readonly report: (progress: Progress) => void
}): Promise<void> {
  const { signal, report } = work
  let progress = work.from
  for (let calls = 0; progress.cursor !== null && calls < work.maxCalls; calls += callsOfPage) {
    const { since, cursor } = progress
    const body = { since, limit: callsOfPage, ...(cursor === '' ? {} : { cursor }) }
    const page: PolicyReplay = await callApi('replayPolicy', { body, signal })
    if (page.digest !== work.digest) {
      throw new FolderChanged('the folder has changed since.')
    }
    progress = {
      ...progress,
      judgedCount: progress.judgedCount + page.judged,
      groups: addDifferences(progress.groups, page.items),
      notJudged: progress.notJudged + page.notJudged.length,
      cursor: page.nextCursor,
    }
    report(progress)
  }
}

const was: Readonly<Record<Verdict, string>> = {
  preApproved: 'needed no approval',
  ask: 'asked',
  blocked: 'blocked',
  error: 'not possible',
}
const wouldBe: Readonly<Record<Verdict, string>> = {
  preApproved: 'would run without approval',
  ask: 'would ask',
  blocked: 'would be blocked',
  error: 'would not be possible',
}

function Result(props: {
  progress: Progress
  isJudging: boolean
  /** gets the focus when the button goes */
  place: RefObject<HTMLParagraphElement | null>
}) {
  const { progress, isJudging, place } = props
  const { groups } = progress
  return (
    <>
      <p ref={place} role="status" tabIndex={-1}>
        {summaryOf(progress, isJudging)}
      </p>
      {groups.length > 0 && (
        <ul className="plain-list" aria-label="Calls that would be decided differently">
          {groups.map((group) => (
            <li key={keyOfGroup(group)}>
              <span className="grow break">
                {countWords(group.count, 'call')} of <VisibleText text={group.worker} />:{' '}
                <code>
                  <VisibleText text={group.tool} />
                </code>{' '}
                <span className="dim">{was[group.before]},</span>{' '}
                <strong className={isWider(group) ? 'replay-wider' : undefined}>
                  {wouldBe[group.after]}
                </strong>{' '}
                <span className="dim">
                  <VisibleText text={group.why} />
                </span>
              </span>
              <Link to={`/runs/${group.newestRunId}`}>Newest run</Link>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

function summaryOf(
  { judgedCount, groups, notJudged, cursor }: Progress,
  isJudging: boolean,
): string {
  const different = groups.reduce((sum, { count }) => sum + count, 0)
  const unclear = notJudged === 0 ? '' : ` ${notJudged} cannot be judged before it is in force.`
  if (isJudging)
    return `Judging… ${countWords(judgedCount, 'call')} so far, ${different} would be decided differently.`
  const which =
    cursor === null
      ? countWords(judgedCount, 'call')
      : `the newest ${countWords(judgedCount, 'call')}`
  if (judgedCount === 0) {
    return cursor === null && notJudged === 0
      ? `No call was judged in the last ${daysBack} days.`
      : `No call was judged yet.${unclear}`
  }
  return different === 0
    ? `None of ${which} would be decided differently.${unclear}`
    : `Of ${which}, ${different} would be decided differently.${unclear}`
}
