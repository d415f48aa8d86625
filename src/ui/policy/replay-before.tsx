import { Button } from '@mantine/core'
import { useRef, useState } from 'react'
import { Link } from 'react-router'
import type { PolicyReplay } from '#api/schemas/policy/replay.ts'
import type { Verdict } from '#domain/policy/verdict.ts'
import { countWords } from '#domain/text/count-words.ts'
import { callApi } from '../api/call-api.ts'
import { isoDaysAgo } from '../text/iso-days-ago.ts'
import { VisibleText } from '../text/visible-text.tsx'

const daysBack = 30
/** The largest number of listed differences; all are counted. */
const maxListed = 50

interface Progress {
  readonly judgedCount: number
  readonly items: PolicyReplay['items']
  readonly differenceCount: number
  readonly notJudged: number
  readonly isDone: boolean
}

const nothing: Progress = {
  judgedCount: 0,
  items: [],
  differenceCount: 0,
  notJudged: 0,
  isDone: false,
}

/** Judges the calls of the last 30 days under the folder's version before it is activated. */
export function ReplayBefore() {
  const [progress, setProgress] = useState<Progress | null>(null)
  const [failure, setFailure] = useState<string | null>(null)
  const stopping = useRef<AbortController | null>(null)
  const isRunning = progress !== null && !progress.isDone && failure === null
  const replay = async (): Promise<void> => {
    const stop = new AbortController()
    stopping.current = stop
    setFailure(null)
    setProgress(nothing)
    try {
      await judgeAll(stop.signal, setProgress)
    } catch (error) {
      if (!stop.signal.aborted) setFailure((error as Error).message)
      else setProgress((before) => before && { ...before, isDone: true })
    }
  }
  return (
    <div className="column small">
      <div className="row">
        <Button size="xs" variant="default" loading={isRunning} onClick={() => void replay()}>
          Replay the last {daysBack} days under it
        </Button>
        {isRunning && (
          <Button size="xs" variant="subtle" onClick={() => stopping.current?.abort()}>
            Stop
          </Button>
        )}
      </div>
      {failure !== null && <p role="alert">{failure}</p>}
      {progress !== null && <Found progress={progress} />}
    </div>
  )
}

async function judgeAll(signal: AbortSignal, tell: (progress: Progress) => void): Promise<void> {
  const since = isoDaysAgo(daysBack)
  let progress = nothing
  for (let cursor: string | null = ''; cursor !== null;) {
    const body = { since, limit: 50, ...(cursor === '' ? {} : { cursor }) }
    const page: PolicyReplay = await callApi('replayPolicy', { body, signal })
    cursor = page.nextCursor
    progress = {
      judgedCount: progress.judgedCount + page.judged,
      items: [...progress.items, ...page.items].slice(0, maxListed),
      differenceCount: progress.differenceCount + page.items.length,
      notJudged: progress.notJudged + page.notJudged.length,
      isDone: cursor === null,
    }
    tell(progress)
  }
}

const words: Readonly<Record<Verdict, string>> = {
  preApproved: 'ran alone',
  ask: 'asked',
  blocked: 'was blocked',
  error: 'was not possible',
}
const wouldBe: Readonly<Record<Verdict, string>> = {
  preApproved: 'would run without approval',
  ask: 'would ask',
  blocked: 'would be blocked',
  error: 'would not be possible',
}

function Found({ progress }: { progress: Progress }) {
  const { judgedCount, items, differenceCount, notJudged, isDone } = progress
  return (
    <div role="status" className="column">
      <p>
        {isDone ? '' : 'So far: '}
        {countWords(judgedCount, 'call')} judged, {differenceCount} would differ
        {notJudged > 0 && `, and ${notJudged} cannot be judged yet`}.
      </p>
      {items.length > 0 && (
        <ul className="plain-list">
          {items.map((item) => (
            <li key={item.callId}>
              <span className="grow break">
                <Link to={`/runs/${item.runId}`}>{item.worker}</Link>: <code>{item.tool}</code>{' '}
                {words[item.before?.verdict ?? item.recorded]},{' '}
                <strong
                  className={item.after.verdict === 'preApproved' ? 'replay-wider' : undefined}
                >
                  {wouldBe[item.after.verdict]}
                </strong>{' '}
                <span className="dim">
                  <VisibleText text={item.after.asks ?? item.after.reason} />
                </span>
              </span>
            </li>
          ))}
        </ul>
      )}
      {differenceCount > items.length && (
        <p className="dim">
          The first {items.length} are listed: countersign policy replay lists all.
        </p>
      )}
    </div>
  )
}
