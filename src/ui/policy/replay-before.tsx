import { Button } from '@mantine/core'
import { useRef, useState } from 'react'
import { Link } from 'react-router'
import type { PolicyReplay } from '#api/schemas/policy/policy.ts'
import type { Verdict } from '#domain/policy/verdict.ts'
import { countWords } from '#domain/text/counted.ts'
import { callApi } from '../api/call-api.ts'
import { VisibleText } from '../text/visible-text.tsx'

const daysBack = 30
const dayMs = 24 * 60 * 60 * 1000
/** How many differences are listed; all are counted. */
const mostListed = 50

interface Progress {
  readonly judged: number
  readonly items: PolicyReplay['items']
  readonly differing: number
  readonly notJudged: number
  readonly isDone: boolean
}

const nothing: Progress = { judged: 0, items: [], differing: 0, notJudged: 0, isDone: false }

/** Judges the calls of the last 30 days by the folder's version, before anybody activates it. */
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
  const since = new Date(Date.now() - daysBack * dayMs).toISOString()
  let progress = nothing
  for (let cursor: string | null = ''; cursor !== null;) {
    const body = { since, limit: 50, ...(cursor === '' ? {} : { cursor }) }
    const page: PolicyReplay = await callApi('replayPolicy', { body, signal })
    cursor = page.nextCursor
    progress = {
      judged: progress.judged + page.judged,
      items: [...progress.items, ...page.items].slice(0, mostListed),
      differing: progress.differing + page.items.length,
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
  const { judged: judgedCount, items, differing, notJudged, isDone } = progress
  return (
    <div role="status" className="column">
      <p>
        {isDone ? '' : 'So far: '}
        {countWords(judgedCount, 'call')} judged, {differing} would differ
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
      {differing > items.length && (
        <p className="dim">
          The first {items.length} are listed: countersign policy replay lists all.
        </p>
      )}
    </div>
  )
}
