import { useQuery } from '@tanstack/react-query'
import type { ApiRequest } from '#client/call.ts'
import { decodeUtf8 } from '#domain/text/encoding/decode-utf8.ts'
import { readContent } from '../api/call-api.ts'
import { Failure } from '../states/failure.tsx'
import { Loading } from '../states/loading.tsx'
import { SecretsContext } from '../text/secret-chips.tsx'
import { LinesView } from './lines-view.tsx'

/** The bytes of a request, loaded when this is shown: text as text, other bytes in hexadecimal. */
export function ContentView(props: { content: ApiRequest; revision: number; what: string }) {
  const { content: request, revision } = props
  const content = useQuery({
    queryKey: ['content', request.path, revision],
    queryFn: ({ signal }) => readContent({ ...request, signal }),
    staleTime: Infinity,
  })
  if (content.isPending) return <Loading what={props.what} lines={4} />
  if (content.isLoadingError) return <Failure query={content} />
  const { bytes, mediaType } = content.data
  const text = mediaType.startsWith('text/') ? decodeUtf8(bytes) : null
  return (
    <>
      <p className="dim small">{bytes.length.toLocaleString('en')} bytes</p>
      {/* Nothing is masked: the service has recorded that the person reads these bytes. */}
      <SecretsContext value={null}>
        {text === null ? (
          <LinesView text={hexLines(bytes)} showFinalNewline={false} />
        ) : (
          <LinesView text={text} showFinalNewline />
        )}
      </SecretsContext>
    </>
  )
}

/** Bytes as lines of sixteen, in hexadecimal and as printable characters. */
function hexLines(bytes: Uint8Array): string {
  const lines: string[] = []
  for (let at = 0; at < bytes.length; at += 16) {
    const row = [...bytes.subarray(at, at + 16)]
    const hex = row.map((byte) => byte.toString(16).padStart(2, '0')).join(' ')
    const characters = row.map((byte) =>
      byte > 31 && byte < 127 ? String.fromCharCode(byte) : '.',
    )
    lines.push(`${at.toString(16).padStart(8, '0')}  ${hex.padEnd(48)} ${characters.join('')}`)
  }
  return lines.join('\n')
}
