import { useQueryClient } from '@tanstack/react-query'
import {
  createContext,
  useContext,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
  type ReactNode,
} from 'react'
import { useNavigate } from 'react-router'
import { meQuery, refetchAfterEvent, useMe } from '../api/queries.ts'
import type { Connection } from './connection.ts'
import { openEventStream, type EventStream } from './event-stream.ts'

const StreamContext = createContext<EventStream | null>(null)

/**
 * Keeps a person's event stream open, and reloads the objects that its events name. `onChange`,
 * which must be the same function in every render, is called for each changed request. It is called
 * without one at first and when events were missed, because any request may have changed.
 */
export function LiveProvider(props: {
  children: ReactNode
  onChange: (personId: string, requestId?: string) => void
}) {
  const { children, onChange } = props
  const client = useQueryClient()
  const [stream, setStream] = useState<EventStream | null>(null)
  const navigate = useNavigate()
  // All data but the request of the first page was requested after the answer about the person,
  // which names the event to begin at. An API process of an earlier version names none: then the
  // stream begins when it opens.
  const { lastEventId, person } = useMe()
  const [from] = useState(lastEventId ?? null)
  const openPage = useRef(navigate)
  useEffect(() => {
    openPage.current = navigate
  }, [navigate])
  useEffect(() => {
    // Many events at once, as when a run ends, cause one reload.
    let changes = new Map<string, { requestId?: string; runId?: string }>()
    let hasNewPolicy = false
    let timer: ReturnType<typeof setTimeout> | null = null
    const flush = (): void => {
      timer = null
      // Another policy changes rights, workers, queues, and who may decide.
      if (hasNewPolicy) refetchAfterEvent(client, 'everything')
      else for (const event of changes.values()) refetchAfterEvent(client, event)
      hasNewPolicy = false
      changes = new Map()
    }
    const openStream = openEventStream(from, {
      event: (name, { requestId, runId }) => {
        if (name === 'request.opened' && requestId !== undefined) {
          void notify(requestId, (path) => void openPage.current(path))
        }
        if (name === 'policy.changed') hasNewPolicy = true
        if (name === 'request.changed' && requestId !== undefined) {
          onChange(person.id, requestId)
        }
        changes.set(runId ?? '', { ...(requestId && { requestId }), ...(runId && { runId }) })
        timer ??= setTimeout(flush, 80)
      },
      gap: () => {
        refetchAfterEvent(client, 'everything')
        onChange(person.id)
      },
      // The page may read nothing else for hours. Its answer about the person shows the sign-in.
      signedOut: () => void client.invalidateQueries({ queryKey: meQuery.queryKey }),
    })
    setStream(openStream)
    onChange(person.id)
    return () => {
      if (timer !== null) clearTimeout(timer)
      openStream.close()
    }
  }, [client, from, onChange, person.id])
  return <StreamContext value={stream}>{children}</StreamContext>
}

/** A failed notice is not reported, because the page shows the request itself. */
async function notify(requestId: string, openPage: (path: string) => void): Promise<void> {
  try {
    const { notifyOfRequest } = await import('../notices/notify-of-request.ts')
    await notifyOfRequest(requestId, openPage)
  } catch {
    // The next event gets its notice as usual.
  }
}

const nothing = (): (() => void) => () => undefined

/** The state of the connection: live, reconnecting, or offline after thirty seconds. */
export function useConnection(): Connection['state'] {
  const stream = useContext(StreamContext)
  return useSyncExternalStore(
    stream?.subscribe ?? nothing,
    () => stream?.connection().state ?? 'reconnecting',
  )
}
