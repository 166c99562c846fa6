import './locale';
import { t } from '../shared/messages';
import { mount } from './frame';
import { SettingsWindow } from './settings/settings-window';

mount(t('settings.title'), <SettingsWindow />);
