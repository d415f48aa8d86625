import { Button } from '@mantine/core'
import { useState } from 'react'
import type { ResultFile } from '../../api/schemas/runs/transcript.ts'
import { isPictureType } from '../../domain/picture-type.ts'
import { VisibleText } from '../text/visible-text.tsx'

/**
 * The pictures, sounds and blobs of a result. A picture is data of the tool and no words of anybody: it is drawn only
 * once somebody asks for it, from our own origin. Everything else can be saved, and nothing of it is opened here.
 */
export function ResultFiles(props: { callId: string; files: readonly ResultFile[] }) {
  const { callId, files } = props
  return (
    <ul className="result-files" aria-label="What it returned besides text">
      {files.map((file, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- a result never changes, and may hold the same bytes twice
        <li key={index}>
          {isPictureType(file.mediaType) ? (
            <Picture href={hrefOf(callId, file)} what={whatOf(file)} />
          ) : (
            <a className="small" href={hrefOf(callId, file)} download>
              Save <VisibleText text={whatOf(file)} />
            </a>
          )}
        </li>
      ))}
    </ul>
  )
}

function Picture({ href, what }: { href: string; what: string }) {
  const [state, setState] = useState<'hidden' | 'shown' | 'failed'>('hidden')
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
      <a className="small" href={href} download>
        Save it
      </a>
      {state === 'shown' && (
        <img
          className="result-picture"
          src={href}
          alt={`What the tool returned: ${what}`}
          onError={() => setState('failed')}
        />
      )}
      {state === 'failed' && (
        <p className="small" role="status">
          It cannot be drawn: it is broken, or it did not come.
        </p>
      )}
    </>
  )
}

function hrefOf(callId: string, { hash }: ResultFile): string {
  return `/v1/calls/${callId}/files/${hash}`
}

function whatOf({ mediaType, bytes }: ResultFile): string {
  return `${mediaType}, ${bytes.toLocaleString('en')} bytes`
}
