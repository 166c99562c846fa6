import { contextBridge } from 'electron';

contextBridge.exposeInMainWorld('holdfast', {});
