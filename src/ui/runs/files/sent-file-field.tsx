import { Button, CloseButton, FileButton } from '@mantine/core'
import { IconPaperclip } from '@tabler/icons-react'
import { pictureTypes } from '#domain/tools/picture-type.ts'
import { VisibleText } from '../../text/visible-text.tsx'
import { whatOf } from './drawn-picture.tsx'
import type { SentFiles } from './use-sent-files.ts'
import './sent-files.css'

const accepted = [...pictureTypes, 'text/*', '.md', '.json', '.yaml', '.yml', '.csv', '.log'].join()

/** A field for the pictures and texts of a message, with the list of chosen files. */
export function SentFileField({ sent, error }: { sent: SentFiles; error: string | null }) {
  const problem = sent.problem ?? error
  return (
    <div className="sent-files">
      <FileButton multiple accept={accepted} onChange={(files) => void sent.add(files)}>
        {(props) => (
          <Button
            {...props}
            size="compact-sm"
            variant="default"
            leftSection={<IconPaperclip size={15} aria-hidden />}
          >
            Attach pictures or texts
          </Button>
        )}
      </FileButton>
      {sent.files.length > 0 && (
        <ul aria-label="Files to send">
          {sent.files.map((file, at) => (
            // oxlint-disable-next-line react/no-array-index-key -- two may be the same file
            <li key={at} className="small">
              <VisibleText text={file.name} /> <span className="dim">{whatOf(file)}</span>
              <CloseButton
                size="sm"
                aria-label={`Remove ${file.name}`}
                onClick={() => sent.remove(at)}
              />
            </li>
          ))}
        </ul>
      )}
      {problem !== null && <p role="alert">{problem}</p>}
    </div>
  )
}
