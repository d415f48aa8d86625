import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { errorMessage } from '#domain/error-message.ts'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import type { JsonObject } from '#domain/json/json.ts'
import { ApiRefusal, callApi } from '../../api/call-api.ts'

/** Sends a changed input for the opened revision. `onDone` gets the new revision. */
export function useRevise(request: RequestDetail, onDone: (fresh: RequestDetail) => void) {
  const client = useQueryClient()
  const [refusal, setRefusal] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const revise = async (input: JsonObject): Promise<void> => {
    setBusy(true)
    setRefusal(null)
    try {
      const { digest, revision } = request
      const body = { input, digest, revision }
      const fresh = await callApi('reviseRequest', { params: { id: request.id }, body })
      client.setQueriesData<RequestDetail>({ queryKey: ['request'] }, (old) =>
        old?.id === fresh.id ? fresh : old,
      )
      onDone(fresh)
    } catch (error) {
      setRefusal(errorMessage(error))
      setBusy(false)
      if (error instanceof ApiRefusal && error.status === 412) {
        await client.invalidateQueries({ queryKey: ['request'] })
      }
    }
  }
  return { revise, refusal, setRefusal, busy }
}
