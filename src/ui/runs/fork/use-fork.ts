import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import type { JsonObject } from '#domain/json/json.ts'
import { callApi } from '../../api/call-api.ts'
import { newIdempotencyKey } from '../../api/idempotency-key.ts'
import { announce } from '../../states/announce.tsx'
import { refusalOf, type StartRefusal } from '../start/use-start.ts'

export interface ForkBody {
  readonly afterTurn?: number
  readonly text?: string
  readonly input?: string | JsonObject
  readonly worker?: 'current' | 'pinned'
}

/** Forks a run and opens the page of the new one. The same form sent twice starts one run. */
export function useFork(runId: string, done: () => void) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const intent = useRef<{ readonly body: string; readonly key: string } | null>(null)
  const isBusy = useRef(false)
  const [busy, setBusy] = useState(false)
  const [refusal, setRefusal] = useState<StartRefusal | null>(null)
  const fork = async (body: ForkBody): Promise<void> => {
    if (isBusy.current) return
    isBusy.current = true
    setBusy(true)
    setRefusal(null)
    const text = JSON.stringify(body)
    if (intent.current?.body !== text) intent.current = { body: text, key: newIdempotencyKey() }
    const sent = { params: { id: runId }, body, idempotencyKey: intent.current.key }
    try {
      const run = await callApi('forkRun', sent)
      done()
      announce('Run started')
      await client.invalidateQueries({ queryKey: ['runs'] })
      await navigate(`/runs/${run.id}`)
    } catch (error) {
      setRefusal(refusalOf(error))
    }
    isBusy.current = false
    setBusy(false)
  }
  const refuse = (message: string, field: string | null): void => setRefusal({ message, field })
  return { fork, busy, refusal, refuse }
}
