import { useEffect, useState } from 'react'
import { read } from './api.ts'
import { Chat } from './chat.tsx'
import { messagesOf, type Run, type TranscriptItem } from './history.ts'

/** Loads a run and its transcript, then shows the conversation. */
export function OpenRun({ id }: { id: string }) {
  const [loaded, setLoaded] = useState<{ run: Run; items: TranscriptItem[] } | null>(null)
  const [refusal, setRefusal] = useState<string | null>(null)
  useEffect(() => {
    const reading = Promise.all([
      read<Run>(`/api/runs/${id}`),
      read<{ items: TranscriptItem[] }>(`/api/runs/${id}/transcript`),
    ])
    reading.then(
      ([run, { items }]) => setLoaded({ run, items }),
      (error: unknown) => setRefusal(String(error)),
    )
  }, [id])
  if (refusal !== null) return <p role="alert">{refusal}</p>
  if (loaded === null) return <p>Loading…</p>
  return <Chat run={loaded.run} messages={messagesOf(loaded.run, loaded.items)} />
}
