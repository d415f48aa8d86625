import { createContext, useContext, type ReactNode } from 'react'
import type { RunDetail } from '#api/schemas/runs/runs.ts'
import type { TranscriptItem } from '#api/schemas/runs/transcript.ts'
import { noProgress, useRunStream, type RunInProgress } from './use-run-stream.ts'

const InProgress = createContext<RunInProgress>(noProgress)

/** Reads one stream for a whole page while the run runs or one of its commands has no result. */
export function RunStream(props: {
  run: RunDetail
  items: readonly TranscriptItem[]
  children: ReactNode
}) {
  const { children, items, run } = props
  const hasLive = items.some(({ calls = [] }) =>
    calls.some(({ live, result }) => live !== undefined && result === undefined),
  )
  const isOpen = run.state === 'running' || (hasLive && run.endedAt === null)
  return <InProgress value={useRunStream(run.id, isOpen)}>{children}</InProgress>
}

/** The text and output of the turn in progress, from the stream of the run. */
export function useRunInProgress(): RunInProgress {
  return useContext(InProgress)
}
