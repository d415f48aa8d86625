import { Kbd, Modal, Switch } from '@mantine/core'
import { useKeyboard } from './keyboard-provider.tsx'
import { platform } from './platform.ts'
import { keysOf, shortcutIds, shortcutOf, shortcutGroups } from './shortcuts.ts'
import './help-sheet.css'

/** The list under `?`, with the switch for single keys. */
export function HelpSheet({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { singleKeys, setSingleKeys } = useKeyboard()
  return (
    <Modal opened={opened} onClose={onClose} title="Keyboard" size="lg">
      <div className="help-groups">
        {shortcutGroups.map((group) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl>
              {shortcutIds
                .filter((id) => shortcutOf(id).group === group)
                .map((id) => (
                  <div key={id} className="row spread help-line">
                    <dt>{shortcutOf(id).label}</dt>
                    <dd>
                      {keysOf(id, platform).map((key) => (
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
