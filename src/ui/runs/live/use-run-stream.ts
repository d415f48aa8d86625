import { useEffect, useState } from 'react'
import type { UiPart } from '#domain/runs/ui-part.ts'
import { requestOf } from '#client/call.ts'
import { afterOutput, type OutputSoFar } from './so-far.ts'
import { ask } from '../../api/call-api.ts'
import { openStream } from '../../live/read-stream.ts'

const reconnectAfterMs = 2_000

/** A model's text in the current turn, not stored yet. `turn` 0: there is none. */
export interface TurnText {
  readonly turn: number
  readonly text: string
}

const noText: TurnText = { turn: 0, text: '' }

/** The data of the stream that is not stored yet. */
export interface RunInProgress {
  readonly modelText: TurnText
  /** output of running commands, by call and stream */
  readonly commandOutput: ReadonlyMap<string, OutputSoFar>
}

export const noProgress: RunInProgress = { modelText: noText, commandOutput: new Map() }

/**
 * Reads the text of the current turn and the output of its commands. The text stays until the next
 * turn begins, so that the page shows it until the stored message is loaded. Reads only on a
 * visible page and while `isRunning`, because browsers limit the connections of an origin.
 */
export function useRunStream(runId: string, isRunning: boolean): RunInProgress {
  const [progress, setProgress] = useState(noProgress)
  const isVisible = usePageVisible()
  useEffect(() => {
    if (!isRunning || !isVisible) return
    const controller = new AbortController()
    const { signal } = controller
    let reconnectTimer: ReturnType<typeof setTimeout> | null = null
    let last: string | null = null
    const read = async (): Promise<void> => {
      const on = {
        part: (part: UiPart) =>
          setProgress(({ commandOutput, modelText }) => ({
            modelText: afterPart(modelText, part),
            commandOutput:
              part.type === 'data-command-output'
                ? afterOutput(commandOutput, part)
                : commandOutput,
          })),
        at: (id: string) => {
          last = id
        },
      }
      // Reads again whether the stream broke or ended, because the run continues.
      await readRun(runId, { last, signal }, on).catch(() => undefined)
      if (!signal.aborted) reconnectTimer = setTimeout(() => void read(), reconnectAfterMs)
    }
    void read()
    return () => {
      controller.abort()
      if (reconnectTimer !== null) clearTimeout(reconnectTimer)
    }
  }, [runId, isRunning, isVisible])
  return progress
}

/** The text after another part of the stream. The id of a text is `turn.attempt`. */
function afterPart(before: TurnText, part: UiPart): TurnText {
  switch (part.type) {
    case 'text-start':
      return { turn: Number.parseInt(part.id, 10), text: '' }
    case 'text-delta':
      return { ...before, text: before.text + part.delta }
    case 'start-step':
    case 'reset-step':
      return noText
    default:
      return before
  }
}

function usePageVisible(): boolean {
  const [isVisible, setVisible] = useState(document.visibilityState === 'visible')
  useEffect(() => {
    const update = (): void => setVisible(document.visibilityState === 'visible')
    document.addEventListener('visibilitychange', update)
    return () => document.removeEventListener('visibilitychange', update)
  }, [])
  return isVisible
}

/**
 * Reads a run's stream after the event `last` until it ends, and calls `on.at` with the id of each
 * part. Resolves to whether the run rests or has ended. Rejects if the stream cannot be opened or
 * breaks.
 */
async function readRun(
  runId: string,
  from: { readonly last: string | null; readonly signal: AbortSignal },
  on: { readonly part: (part: UiPart) => void; readonly at: (id: string) => void },
): Promise<boolean> {
  const { last, signal } = from
  const headers = last === null ? {} : { 'last-event-id': last }
  const { response, events } = await openStream(
    () => ask({ ...requestOf('streamRun', { params: { id: runId }, signal }), headers }),
    signal,
  )
  if (response.status === 204 || response.body === null) return true
  for await (const value of events(response.body)) {
    if (value.data === '[DONE]') return true
    on.part(JSON.parse(value.data) as UiPart)
    if (value.id !== undefined) on.at(value.id)
  }
  return false
}
