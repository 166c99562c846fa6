/** Texts of the tray, menus, dialogs and notifications, from the same catalogue as the windows. */
import { EN_DESKTOP } from '../../shared/messages/en-desktop';
import { sayFrom } from '../../shared/messages/say';

export const say = sayFrom(EN_DESKTOP);
