import { useEffect, useState } from 'react'
import { read } from './api.ts'
import { Chat } from './chat.tsx'
import { messagesOf, type Run, type TranscriptItem } from './history.ts'

/** Reads what was said before, then follows what is said from now on. */
export function OpenRun({ id }: { id: string }) {
  const [opened, setOpened] = useState<{ run: Run; items: TranscriptItem[] } | null>(null)
  const [refusal, setRefusal] = useState<string | null>(null)
  useEffect(() => {
    const reading = Promise.all([
      read<Run>(`/api/runs/${id}`),
      read<{ items: TranscriptItem[] }>(`/api/runs/${id}/transcript`),
    ])
    reading.then(
      ([run, { items }]) => setOpened({ run, items }),
      (error: unknown) => setRefusal(String(error)),
    )
  }, [id])
  if (refusal !== null) return <p role="alert">{refusal}</p>
  if (opened === null) return <p>Loading…</p>
  return <Chat run={opened.run} messages={messagesOf(opened.run, opened.items)} />
}
