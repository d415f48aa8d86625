import { Button } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useState, type ReactNode } from 'react'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { requestOf } from '#client/call.ts'
import { SaveButton } from '../states/save-button.tsx'
import { later } from '../states/later.tsx'
import { Loading } from '../states/loading.tsx'
import { verbs } from '../words/verbs.ts'

/** The bytes of a request or of a file that it names, loaded when somebody opens them. */
export const ContentView = later(
  () => import('./content-view.tsx').then((module) => module.ContentView),
  ({ what }) => <Loading what={what} lines={4} />,
)

/**
 * All bytes of what will run or be written: shown if they are text, and available as a download.
 * `children` say how much of them is shown above.
 */
export function EveryByte(props: {
  request: Pick<RequestDetail, 'id' | 'number' | 'revision'>
  children: ReactNode
}) {
  const { request } = props
  const [open, setOpen] = useState(false)
  const content = requestOf('getContent', { params: { id: request.id } })
  return (
    <div className="column every-byte">
      <div className="row">
        <p className="dim small grow">{props.children}</p>
        <Button
          size="xs"
          variant="default"
          aria-expanded={open}
          onClick={() => setOpen((before) => !before)}
        >
          {open ? 'Hide every byte' : 'Show every byte'}
        </Button>
        <SaveButton
          size="xs"
          variant="subtle"
          request={content}
          name={`request-${request.number}`}
          icon={<IconDownload size={14} aria-hidden />}
        >
          {verbs.download}
        </SaveButton>
      </div>
      {open && <ContentView content={content} revision={request.revision} what="every byte" />}
    </div>
  )
}
