import { Button } from '@mantine/core'
import { useState } from 'react'
import type { ResultFile } from '#api/schemas/runs/transcript.ts'
import { type ApiRequest, requestOf } from '#client/call.ts'
import { isPictureType } from '#domain/tools/picture-type.ts'
import { SaveButton } from '../../states/save-button.tsx'
import { VisibleText } from '../../text/visible-text.tsx'
import { DrawnPicture, whatOf } from '../files/drawn-picture.tsx'
import { verbs } from '../../words/verbs.ts'
import '../files/result-files.css'

/**
 * The pictures, sounds and blobs of a result. A picture is drawn only on request, from this origin,
 * because a tool made it. All other files can only be saved.
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
            <SaveButton size="compact-sm" variant="default" request={bytesOf(callId, file.hash)}>
              <VisibleText text={`${verbs.download} (${whatOf(file)})`} />
            </SaveButton>
          )}
        </li>
      ))}
    </ul>
  )
}

function Picture({ callId, file }: { callId: string; file: ResultFile }) {
  const what = whatOf(file)
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {isOpen ? 'Hide' : 'Show'} picture ({what})
      </Button>{' '}
      <SaveButton size="compact-sm" variant="default" request={bytesOf(callId, file.hash)}>
        {verbs.download}
      </SaveButton>
      {isOpen && isPictureType(file.mediaType) && (
        <DrawnPicture
          request={bytesOf(callId, file.hash)}
          type={file.mediaType}
          alt={`What the tool returned: ${what}`}
        />
      )}
    </>
  )
}

function bytesOf(callId: string, hash: string): ApiRequest {
  return requestOf('getResultFile', { params: { id: callId, hash } })
}
