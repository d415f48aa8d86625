import { createContext, useContext, type ReactNode } from 'react'
import type { RunDetail } from '#api/schemas/runs/runs.ts'
import type { TranscriptItem } from '#api/schemas/runs/transcript.ts'
import { noProgress, useRunStream, type RunInProgress } from './use-run-stream.ts'

const InProgress = createContext<RunInProgress>(noProgress)

/** Has one stream read for a whole page, while the run runs or a command of it has no result. */
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

export function useRunInProgress(): RunInProgress {
  return useContext(InProgress)
}
