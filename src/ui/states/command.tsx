import { ActionIcon } from '@mantine/core'
import { IconCopy } from '@tabler/icons-react'
import { copyText } from '../text/copy-text.ts'
import './states.css'

/** A command to run in a terminal, with a control that copies it. */
export function Command({ text }: { text: string }) {
  return (
    <div className="command">
      <code>{text}</code>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label="Copy the command"
        onClick={() => void copyText(text, 'Command')}
      >
        <IconCopy size={16} aria-hidden />
      </ActionIcon>
    </div>
  )
}
