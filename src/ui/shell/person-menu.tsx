import { Button } from '@mantine/core'
import { IconChevronDown } from '@tabler/icons-react'
import { useMe } from '../api/queries.ts'
import { laterMenu } from '../floating/later-menu.ts'
import { useMenuButton } from '../floating/use-menu-button.ts'
import { useShortcut } from '../keyboard/keyboard-provider.tsx'
import { setRowDensity, useRowDensity } from '../styles/row-density.ts'
import { Initials } from '../text/initials.tsx'

const PersonItems = laterMenu(() =>
  import('./person-items.tsx').then((module) => module.PersonItems),
)

/** The signed-in person, and the menu of what that person can do outside the pages. */
export function PersonMenu() {
  const { person } = useMe()
  const { menu, button } = useMenuButton()
  const isCompact = useRowDensity() === 'compact'
  useShortcut('compactRows', isCompact ? null : () => setRowDensity('compact'))
  useShortcut('roomyRows', isCompact ? () => setRowDensity('roomy') : null)
  return (
    <>
      <Button
        variant="subtle"
        color="gray"
        className="person"
        leftSection={<Initials name={person.name} />}
        rightSection={<IconChevronDown size={14} aria-hidden />}
        aria-label={`Signed in as ${person.name}`}
        {...button}
      >
        {person.name}
      </Button>
      <PersonItems menu={menu} />
    </>
  )
}
