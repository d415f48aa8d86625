import { Button } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { RequestDetail } from '../../../api/schemas/requests.ts'
import { readContent } from '../../api/call-api.ts'
import { Failure } from '../../states/failure.tsx'
import { Loading } from '../../states/loading.tsx'
import { Hash } from '../../text/hash.tsx'
import { LinesView } from './lines-view.tsx'

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
      {open && <Content path={path} revision={request.revision} />}
    </div>
  )
}

function Content({ path, revision }: { path: string; revision: number }) {
  const content = useQuery({
    queryKey: ['content', path, revision],
    queryFn: ({ signal }) => readContent(path, signal),
    staleTime: Infinity,
  })
  if (content.isPending) return <Loading what="every byte" lines={4} />
  if (content.isError) {
    return <Failure error={content.error} retry={() => void content.refetch()} />
  }
  const { bytes, digest, mediaType } = content.data
  const text = mediaType.startsWith('text/') ? decode(bytes) : null
  return (
    <>
      <p className="dim small">
        {bytes.length.toLocaleString('en')} bytes{' '}
        {digest !== null && <Hash value={digest} what="hash of the content" />}
      </p>
      {text === null ? (
        <LinesView text={hexLines(bytes)} showFinalNewline={false} />
      ) : (
        <LinesView text={text} showFinalNewline />
      )}
    </>
  )
}

function decode(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}

/** Bytes as lines of sixteen, in hexadecimal and as printable characters. */
function hexLines(bytes: Uint8Array): string {
  const lines: string[] = []
  for (let at = 0; at < bytes.length; at += 16) {
    const row = [...bytes.subarray(at, at + 16)]
    const hex = row.map((byte) => byte.toString(16).padStart(2, '0')).join(' ')
    const shown = row.map((byte) => (byte > 31 && byte < 127 ? String.fromCharCode(byte) : '.'))
    lines.push(`${at.toString(16).padStart(8, '0')}  ${hex.padEnd(48)} ${shown.join('')}`)
  }
  return lines.join('\n')
}
