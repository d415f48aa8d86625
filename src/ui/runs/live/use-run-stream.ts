import { useEffect, useState } from 'react'
import type { UiPart } from '#domain/runs/ui-part.ts'
import { afterOutput, type OutputSoFar } from './so-far.ts'
import { readRun } from '../../live/read-run.ts'

const reconnectAfterMs = 2_000

/** What a model has written so far of a turn: `turn` 0 is none. It is not stored yet. */
export interface TurnText {
  readonly turn: number
  readonly text: string
}

const nothing: TurnText = { turn: 0, text: '' }

/** What comes over the stream before it is stored. */
export interface RunInProgress {
  readonly written: TurnText
  /** of running commands, by call and stream */
  readonly printed: ReadonlyMap<string, OutputSoFar>
}

export const noProgress: RunInProgress = { written: nothing, printed: new Map() }

/**
 * The text of the turn in progress of a run, as the model writes it, and what its commands print;
 * the text stays until the next turn begins, so that a page shows it until it has the stored
 * message. Only a visible page reads, and only while `isRunning`: a browser has few connections for
 * all its pages.
 */
export function useRunStream(runId: string, isRunning: boolean): RunInProgress {
  const [progress, setProgress] = useState(noProgress)
  const isVisible = usePageVisible()
  useEffect(() => {
    if (!isRunning || !isVisible) return
    const leaving = new AbortController()
    const { signal } = leaving
    let again: ReturnType<typeof setTimeout> | null = null
    let last: string | null = null
    const read = async (): Promise<void> => {
      const on = {
        part: (part: UiPart) =>
          setProgress(({ printed, written }) => ({
            written: afterPart(written, part),
            printed: part.type === 'data-command-output' ? afterOutput(printed, part) : printed,
          })),
        at: (id: string) => {
          last = id
        },
      }
      // Whether it broke or is over: while the run goes on there is more to read.
      await readRun(runId, { last, signal }, on).catch(() => undefined)
      if (!signal.aborted) again = setTimeout(() => void read(), reconnectAfterMs)
    }
    void read()
    return () => {
      leaving.abort()
      if (again !== null) clearTimeout(again)
    }
  }, [runId, isRunning, isVisible])
  return progress
}

/** The text after another part arrived. The id of a text is `turn.attempt`. */
export function afterPart(before: TurnText, part: UiPart): TurnText {
  switch (part.type) {
    case 'text-start':
      return { turn: Number.parseInt(part.id, 10), text: '' }
    case 'text-delta':
      return { ...before, text: before.text + part.delta }
    case 'start-step':
    case 'reset-step':
      return nothing
    default:
      return before
  }
}

function usePageVisible(): boolean {
  const [isVisible, setVisible] = useState(document.visibilityState === 'visible')
  useEffect(() => {
    const look = (): void => setVisible(document.visibilityState === 'visible')
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [])
  return isVisible
}
