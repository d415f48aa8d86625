import { useQueryClient } from '@tanstack/react-query'
import {
  createContext,
  useContext,
  useEffect,
  useState,
  useSyncExternalStore,
  type ReactNode,
} from 'react'
import { refetchAfterEvent } from '../api/queries.ts'
import type { Connection } from './connection.ts'
import { openEventStream, type EventStream } from './event-stream.ts'

const StreamContext = createContext<EventStream | null>(null)

/** Keeps one event stream open for the signed-in person and refetches what its events name. */
export function LiveProvider({ children }: { children: ReactNode }) {
  const client = useQueryClient()
  const [stream, setStream] = useState<EventStream | null>(null)
  useEffect(() => {
    // Many events at once (a batch opens, a run ends) are one refetch.
    let waiting = new Map<string, { requestId?: string; runId?: string }>()
    let timer: ReturnType<typeof setTimeout> | null = null
    const flush = (): void => {
      timer = null
      for (const event of waiting.values()) refetchAfterEvent(client, event)
      waiting = new Map()
    }
    const opened = openEventStream({
      event: (_name, { requestId, runId }) => {
        waiting.set(runId ?? '', { ...(requestId && { requestId }), ...(runId && { runId }) })
        timer ??= setTimeout(flush, 80)
      },
      gap: () => refetchAfterEvent(client, 'everything'),
    })
    setStream(opened)
    return () => {
      if (timer !== null) clearTimeout(timer)
      opened.close()
    }
  }, [client])
  return <StreamContext value={stream}>{children}</StreamContext>
}

const nothing = (): (() => void) => () => undefined

/** Whether the page hears of changes: live, reconnecting, or offline for over thirty seconds. */
export function useConnection(): Connection['state'] {
  const stream = useContext(StreamContext)
  return useSyncExternalStore(
    stream?.subscribe ?? nothing,
    () => stream?.connection().state ?? 'reconnecting',
  )
}
