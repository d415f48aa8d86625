import { useEffect, useEffectEvent, useState } from 'react'
import type { ApiRequest } from '#client/call.ts'
import type { PictureType } from '#domain/tools/picture-type.ts'
import { readContent } from '../../api/call-api.ts'
import './result-files.css'

/** A picture from our own origin, of a type that browsers draw without running anything. */
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

/** The address of a picture's bytes in this page, once they came; they are let go of with it. */
function usePicture({ path, method }: ApiRequest, type: PictureType, failed: () => void) {
  const [src, setSrc] = useState<string | null>(null)
  const notifyFailed = useEffectEvent(failed)
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

/** A file as its facts name it. */
export function whatOf({ mediaType, bytes }: { mediaType: string; bytes: number }): string {
  return `${mediaType}, ${bytes.toLocaleString('en')} bytes`
}
