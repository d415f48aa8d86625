import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import type { ApiRequest } from '#client/call.ts'
import { ask } from '../api/call-api.ts'
import { showError } from './show-error.ts'
import { useAttempt } from './use-attempt.ts'

/** Saves an answer as a file. `name`: the file's; default: the one in the answer. */
export function SaveButton(props: {
  request: ApiRequest
  name?: string
  variant: 'default' | 'subtle'
  size: 'sm' | 'xs' | 'compact-sm'
  icon?: ReactNode
  children: ReactNode
}) {
  const { request, name, variant, size, icon, children } = props
  const { attempt, busy } = useAttempt()
  const save = (): Promise<boolean> => attempt(() => saveFile(request, name).catch(showError))
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
 * Fetches the bytes of an operation and saves them as a file. A link cannot send the proof of the
 * session. Without `name` the file has the name in the answer.
 *
 * @throws ApiRefusal as `callApi` does.
 */
async function saveFile(request: ApiRequest, name?: string): Promise<void> {
  const response = await ask(request)
  const fileName = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1]
  // The type prevents the browser from opening the file under this origin.
  const bytes = new Blob([await response.blob()], { type: 'application/octet-stream' })
  const url = URL.createObjectURL(bytes)
  const link = document.createElement('a')
  link.href = url
  link.download = name ?? fileName ?? 'download'
  link.click()
  // The browser starts the download in this task, so the address can be revoked later.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
