import type { MessageFile } from '#api/schemas/runs/transcript.ts'
import { requestOf } from '#client/call.ts'
import { isPictureType } from '#domain/tools/picture-type.ts'
import { SaveButton } from '../../states/save-button.tsx'
import { VisibleText } from '../../text/visible-text.tsx'
import { DrawnPicture, whatOf } from './drawn-picture.tsx'
import { verbs } from '../../words/verbs.ts'
import './result-files.css'

/** The files of a message: pictures are drawn, and all files can be saved. */
export function MessageFiles(props: { runId: string; files: readonly MessageFile[] }) {
  return (
    <ul className="result-files" aria-label="Sent with the message">
      {props.files.map((file, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- a message never changes its files
        <li key={index}>
          <SentFile runId={props.runId} file={file} />
        </li>
      ))}
    </ul>
  )
}

function SentFile({ runId, file }: { runId: string; file: MessageFile }) {
  const { name, mediaType, hash, elided } = file
  const request = requestOf('getMessageFile', { params: { id: runId, hash } })
  return (
    <>
      <SaveButton size="compact-sm" variant="default" request={request} name={name}>
        <VisibleText text={`${verbs.download} ${name} (${whatOf(file)})`} />
      </SaveButton>
      {elided !== undefined && (
        <span className="dim small"> the model does not see it since turn {elided.atTurn}</span>
      )}
      {isPictureType(mediaType) && <DrawnPicture request={request} type={mediaType} alt={name} />}
    </>
  )
}
