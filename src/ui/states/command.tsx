import { ActionIcon } from '@mantine/core'
import { IconCopy } from '@tabler/icons-react'
import { Fragment } from 'react'
import { copyText } from '../text/copy-text.ts'
import { useMe } from '../api/queries.ts'
import { serviceOptions } from '../text/service-options.ts'
import './states.css'

/** A command of `countersign`, under the name that it has on the host of the service. */
export function OwnCommand({ text }: { text: string }) {
  return <Command text={`${useMe().installation.command} ${text}`} />
}

/** A command of `countersign` that asks this service, as the person who reads the page. */
export function ServiceCommand({ text }: { text: string }) {
  const me = useMe()
  return <OwnCommand text={text + serviceOptions(me, me.person.email)} />
}

/** A command to run in a terminal, with a button that copies it. */
export function Command({ text }: { text: string }) {
  return (
    <div className="command">
      <code>
        {text.split(' ').map((word, index) => (
          <Fragment key={index}>
            {index > 0 && ' '}
            <span className="command-word">{word}</span>
          </Fragment>
        ))}
      </code>
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
