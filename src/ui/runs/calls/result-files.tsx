import { Button } from '@mantine/core'
import { useEffect, useEffectEvent, useState } from 'react'
import type { ResultFile } from '#api/schemas/runs/transcript.ts'
import { type ApiRequest, requestOf } from '#client/call.ts'
import { isPictureType } from '#domain/tools/picture-type.ts'
import { readContent } from '../../api/call-api.ts'
import { SaveButton } from '../../states/save-button.tsx'
import { VisibleText } from '../../text/visible-text.tsx'

/**
 * The pictures, sounds and blobs of a result. A picture is data of the tool and no words of
 * anybody: it is drawn only once somebody asks for it, from our own origin. Everything else can be
 * saved, and nothing of it is opened here.
 */
export function ResultFiles(props: { callId: string; files: readonly ResultFile[] }) {
  const { callId, files } = props
  return (
    <ul className="result-files" aria-label="What it returned besides text">
      {files.map((file, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- a result never changes its files
        <li key={index}>
          {isPictureType(file.mediaType) ? (
            <Picture callId={callId} file={file} />
          ) : (
            <SaveButton size="compact-sm" variant="subtle" request={bytesOf(callId, file.hash)}>
              Save <VisibleText text={whatOf(file)} />
            </SaveButton>
          )}
        </li>
      ))}
    </ul>
  )
}

function Picture({ callId, file }: { callId: string; file: ResultFile }) {
  const what = whatOf(file)
  const [state, setState] = useState<'hidden' | 'shown' | 'failed'>('hidden')
  const src = usePicture(callId, file, state !== 'hidden', () => setState('failed'))
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        aria-expanded={state !== 'hidden'}
        onClick={() => setState(state === 'hidden' ? 'shown' : 'hidden')}
      >
        {state === 'hidden' ? 'Show' : 'Hide'} picture ({what})
      </Button>{' '}
      <SaveButton size="compact-sm" variant="subtle" request={bytesOf(callId, file.hash)}>
        Save it
      </SaveButton>
      {state === 'shown' && src !== null && (
        <img
          className="result-picture"
          src={src}
          alt={`What the tool returned: ${what}`}
          onError={() => setState('failed')}
        />
      )}
      {state === 'failed' && (
        <p className="small" role="status">
          It cannot be shown: it is damaged, or it did not load.
        </p>
      )}
    </>
  )
}

/** The address of a picture's bytes in this page, once they came; they are let go of with it. */
function usePicture(
  callId: string,
  { hash, mediaType: type }: ResultFile,
  wanted: boolean,
  failed: () => void,
) {
  const [src, setSrc] = useState<string | null>(null)
  const notifyFailed = useEffectEvent(failed)
  useEffect(() => {
    if (!wanted) return
    const stop = new AbortController()
    let url: string | null = null
    readContent({ ...bytesOf(callId, hash), signal: stop.signal }).then(
      ({ bytes }) => {
        url = URL.createObjectURL(new Blob([bytes as Uint8Array<ArrayBuffer>], { type }))
        setSrc(url)
      },
      () => {
        if (!stop.signal.aborted) notifyFailed()
      },
    )
    return () => {
      stop.abort()
      if (url !== null) URL.revokeObjectURL(url)
      setSrc(null)
    }
  }, [callId, hash, type, wanted])
  return src
}

function bytesOf(callId: string, hash: string): ApiRequest {
  return requestOf('getResultFile', { params: { id: callId, hash } })
}

function whatOf({ mediaType, bytes }: ResultFile): string {
  return `${mediaType}, ${bytes.toLocaleString('en')} bytes`
}
