import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import type { StartBody } from '#api/schemas/runs/run-actions.ts'
import { errorMessage } from '#domain/error-message.ts'
import { ApiRefusal, callApi } from '../../api/call-api.ts'
import { useMe } from '../../api/queries.ts'
import { useIntentKey } from '../../api/use-intent-key.ts'
import { announce } from '../../states/announce.tsx'

/** The refusal of a start: a sentence and its field, such as `input.version`. */
export interface StartRefusal {
  readonly message: string
  readonly field: string | null
}

/** Starts a run and opens its page. */
export function useStart(onDone: () => void) {
  const { person } = useMe()
  return useNewRun<StartBody>(
    `start.${person.id}`,
    (body, idempotencyKey) => callApi('startRun', { body, idempotencyKey }),
    onDone,
  )
}

/**
 * Starts a run and opens its page. The idempotency key depends on the form's content, so a double
 * click, a lost answer, or a reload before the answer starts one run. `intentName`: its key in this
 * tab.
 */
export function useNewRun<Body>(
  intentName: string,
  send: (body: Body, idempotencyKey: string) => Promise<{ readonly id: string }>,
  onDone: () => void,
) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const intent = useIntentKey(intentName)
  const isBusy = useRef(false)
  const [busy, setBusy] = useState(false)
  const [refusal, setRefusal] = useState<StartRefusal | null>(null)
  const start = async (body: Body): Promise<void> => {
    if (isBusy.current) return
    isBusy.current = true
    setBusy(true)
    setRefusal(null)
    try {
      const run = await send(body, intent.of(body))
      intent.renew()
      onDone()
      announce('Run started')
      await client.invalidateQueries({ queryKey: ['runs'] })
      await navigate(`/runs/${run.id}`)
    } catch (error) {
      setRefusal(refusalOf(error))
    }
    isBusy.current = false
    setBusy(false)
  }
  return { start, busy, refusal }
}

/** The refusal of a start, for its form. */
function refusalOf(error: unknown): StartRefusal {
  const message = errorMessage(error)
  const field: unknown = error instanceof ApiRefusal ? error.facts['field'] : undefined
  return { message, field: typeof field === 'string' ? field : null }
}
