import { Kbd, Modal, Switch } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useKeyboard } from './keyboard-provider.tsx'
import { platform } from './platform.ts'
import { keyNames, shortcutIds, shortcutOf, shortcutGroups, type ShortcutId } from './shortcuts.ts'
import './help-sheet.css'

/** The list under `?`: the keys that work on this page, with the switch for single keys. */
export function HelpSheet({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { singleKeys, setSingleKeys, commandsNow } = useKeyboard()
  const [usable] = useState(() => new Set(commandsNow()))
  const [focusedBefore] = useState(() => document.activeElement)
  useEffect(
    () => () => {
      if (focusedBefore instanceof HTMLElement) focusedBefore.focus({ preventScroll: true })
    },
    [focusedBefore],
  )
  // The browser opens what has the focus in a list.
  const idsOf = (name: (typeof shortcutGroups)[number]): ShortcutId[] =>
    shortcutIds.filter((id) => {
      const { group, native } = shortcutOf(id)
      return group === name && usable.has(native ? 'next' : id)
    })
  return (
    <Modal opened={isOpen} onClose={onClose} title="Keyboard" size="lg">
      <div className="help-groups">
        {shortcutGroups
          .filter((group) => idsOf(group).length > 0)
          .map((group) => (
            <section key={group}>
              <h3>{group}</h3>
              <dl>
                {idsOf(group).map((id) => (
                  <div key={id} className="row spread help-line">
                    <dt>{shortcutOf(id).label}</dt>
                    <dd>
                      {keyNames(id, platform).map((key) => (
                        <Kbd key={key} size="xs">
                          {key}
                        </Kbd>
                      ))}
                    </dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
      </div>
      <Switch
        mt="lg"
        checked={singleKeys}
        onChange={(event) => setSingleKeys(event.currentTarget.checked)}
        label="Single keys are commands"
        description={`Commands with ${platform === 'apple' ? '⌘' : 'Ctrl'} stay. Everything has a control on the page too.`}
      />
    </Modal>
  )
}
