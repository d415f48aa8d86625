import { Button } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useState } from 'react'
import type { RequestDetail } from '../../../api/schemas/requests/requests.ts'
import { ContentView } from './content-view.tsx'

/** Every byte of what will run or be written: shown when it is text, and to be downloaded in any case. */
export function EveryByte({ request }: { request: RequestDetail }) {
  const [open, setOpen] = useState(false)
  const path = `/v1/requests/${request.id}/content`
  return (
    <div className="column">
      <div className="row">
        <Button
          size="xs"
          variant="default"
          aria-expanded={open}
          onClick={() => setOpen((before) => !before)}
        >
          {open ? 'Hide every byte' : 'Show every byte'}
        </Button>
        <Button
          size="xs"
          variant="subtle"
          component="a"
          href={path}
          download={`request-${request.number}`}
          leftSection={<IconDownload size={14} aria-hidden />}
        >
          Download
        </Button>
      </div>
      {open && <ContentView path={path} revision={request.revision} what="every byte" />}
    </div>
  )
}
