import { useEffect, useEffectEvent, useState } from 'react'
import type { ApiRequest } from '#client/call.ts'
import type { PictureType } from '#domain/tools/picture-type.ts'
import { countWords } from '#domain/text/quantities/count-words.ts'
import { readContent } from '../../api/call-api.ts'
import './result-files.css'

/** A picture from this origin, of a type that browsers draw without executing anything. */
export function DrawnPicture(props: { request: ApiRequest; type: PictureType; alt: string }) {
  const { request, type, alt } = props
  const [failed, setFailed] = useState(false)
  const src = usePicture(request, type, () => setFailed(true))
  if (failed) {
    return (
      <p className="small" role="status">
        It cannot be shown: it is damaged, or it did not load.
      </p>
    )
  }
  if (src === null) return null
  return <img className="result-picture" src={src} alt={alt} onError={() => setFailed(true)} />
}

/** An object URL of a picture's bytes, revoked when the component unmounts. */
function usePicture({ path, method }: ApiRequest, type: PictureType, onFailure: () => void) {
  const [src, setSrc] = useState<string | null>(null)
  const notifyFailed = useEffectEvent(onFailure)
  useEffect(() => {
    const stop = new AbortController()
    let url: string | null = null
    readContent({ path, method, headers: {}, signal: stop.signal }).then(
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
  }, [path, method, type])
  return src
}

/** The type and size of a file as text. */
export function whatOf({ mediaType, bytes }: { mediaType: string; bytes: number }): string {
  return `${mediaType}, ${countWords(bytes, 'byte')}`
}
