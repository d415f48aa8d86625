import { Button } from '@mantine/core'
import { useState } from 'react'
import { callApi } from '../api/call-api.ts'
import { useMe } from '../api/queries.ts'
import { Command } from '../states/command.tsx'

/** A one-time link for oneself: for a terminal, or a phone. */
export function AnotherDevice() {
  const { person } = useMe()
  const [url, setUrl] = useState<string | null>(null)
  const [refusal, setRefusal] = useState<string | null>(null)
  const make = async (): Promise<void> => {
    try {
      const path = `/v1/people/${encodeURIComponent(person.email)}/link`
      setUrl((await callApi<{ url: string }>(path, { body: {} })).url)
    } catch (error) {
      setRefusal((error as Error).message)
    }
  }
  if (url !== null) {
    return (
      <div className="column" role="status">
        <p className="small">
          Signs you in once, within 15 minutes. In a terminal, or by opening the link elsewhere:
        </p>
        <Command text={`countersign login "${url}"`} />
      </div>
    )
  }
  return (
    <div>
      <Button variant="default" onClick={() => void make()}>
        Sign in another device
      </Button>
      {refusal !== null && <p role="alert">{refusal}</p>}
    </div>
  )
}
