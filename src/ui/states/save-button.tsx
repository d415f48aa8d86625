import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useState, type ReactNode } from 'react'
import type { ApiRequest } from '#client/call.ts'
import { ask } from '../api/call-api.ts'

/** Saves what an operation answers with. `name`: of the file; else what the answer says. */
export function SaveButton(props: {
  request: ApiRequest
  name?: string
  variant: 'default' | 'subtle'
  size: 'sm' | 'xs' | 'compact-sm'
  icon?: ReactNode
  children: ReactNode
}) {
  const { request, name, variant, size, icon, children } = props
  const [busy, setBusy] = useState(false)
  const save = async (): Promise<void> => {
    setBusy(true)
    try {
      await saveFile(request, name)
    } catch (error) {
      notifications.show({ color: 'red', message: (error as Error).message })
    }
    setBusy(false)
  }
  return (
    <Button
      size={size}
      variant={variant}
      loading={busy}
      leftSection={icon}
      onClick={() => void save()}
    >
      {children}
    </Button>
  )
}

/**
 * Fetches an operation's bytes and saves them as a file. A link could not: a call needs the proof
 * of the session, which a link does not carry. Without `name` the file has the answer's.
 *
 * @throws ApiRefusal as `callApi` does.
 */
async function saveFile(request: ApiRequest, name?: string): Promise<void> {
  const response = await ask(request)
  const fileName = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1]
  // Of no type that a browser would open: it lies under our own origin.
  const bytes = new Blob([await response.blob()], { type: 'application/octet-stream' })
  const url = URL.createObjectURL(bytes)
  const link = document.createElement('a')
  link.href = url
  link.download = name ?? fileName ?? 'download'
  link.click()
  // The browser has begun to save it by the end of this task.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
